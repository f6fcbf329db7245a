"""Finds Chromium, or installs Debian's package, and starts it without a screen."""

import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, async_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_INSTALL = ("apt-get", "install", "-qq", "-y", "--no-install-recommends", "chromium")


def chromium_path() -> str:
    """Return the path of the program; install it where that is possible and it is missing.

    Raises:
        RuntimeError: it is missing and cannot be installed.
    """
    return _found() or _installed()


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Yield a running browser without a window."""
    # Chromium refuses to run as root inside its own sandbox.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium_path(), args=[*arguments, "--disable-dev-shm-usage"]
        )
        try:
            yield browser
        finally:
            await browser.close()


def _found() -> str | None:
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


def _installed() -> str:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise RuntimeError("these tests need Chromium: install the package chromium")
    print("installing the Debian package chromium")
    environ = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], check=True, env=environ)
    subprocess.run(_INSTALL, check=True, env=environ, stdout=subprocess.DEVNULL)
    path = _found()
    if path is None:
        raise RuntimeError("the package chromium holds no program of a known name")
    return path
