"""The web page: its files, sent as they are written, and the Python that serves them."""
