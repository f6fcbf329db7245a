"""Runs in a pod: an S3 bucket in memory.

Called as `python -m e2e.bucket_server PORT KEY SECRET`.
"""

import sys
import threading

from support.s3_server import S3Server
from support.s3_signature import Keys


def main(port: str, key: str, secret: str) -> None:
    with S3Server(keys=Keys(key, secret, None), address="0.0.0.0", port=int(port)).running():
        threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
