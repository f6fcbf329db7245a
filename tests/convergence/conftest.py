"""Thousands of runs: their logs would be most of the time."""

import logging
from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(scope="package", autouse=True)
def _silence() -> Iterator[None]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    yield
    structlog.reset_defaults()
