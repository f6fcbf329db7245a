"""`python -m docparser_site FOLDER` writes the site to FOLDER."""

import sys
from pathlib import Path

from docparser_site import pages, site

if __name__ == "__main__":
    site.write(Path(sys.argv[1]), pages.texts(), pages.navigation())
