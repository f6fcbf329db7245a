"""Documents: from untrusted bytes to page images."""
