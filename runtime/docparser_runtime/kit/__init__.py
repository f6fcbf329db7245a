"""Assesses a running service by a user's own documents, and makes documents to begin with."""
