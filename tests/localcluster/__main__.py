"""`python3 -m localcluster CMD`."""

from localcluster.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
