"""Silence for tests that run the operator many times: its logs would be most of the work."""

import logging
from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(scope="package", autouse=True)
def quiet() -> Iterator[None]:
    """Drop all logs."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    yield
    structlog.reset_defaults()
