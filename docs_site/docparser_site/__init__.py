"""The site of the documents: the pages of `docs/` and a reference that is made from the code."""
