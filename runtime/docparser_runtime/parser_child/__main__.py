"""Loads everything, then copies this process for each document.

Its standard input is the control socket of `zygote.Zygote`.
"""

import gc
import os
import socket

from docparser_runtime.parser_child.serving import serve
from docparser_runtime.parser_child.warmup import warm_up
from docparser_runtime.parser_child.zygote import Zygote


def main() -> None:
    """Get ready and make parsers until the service hangs up."""
    control = socket.socket(fileno=os.dup(0))
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(silence, stream)
    os.close(silence)
    warm_up()
    # What is not looked at by the collector is not written to, and so shared by the copies.
    gc.collect()
    gc.freeze()
    Zygote(control, serve).run()


if __name__ == "__main__":
    main()
