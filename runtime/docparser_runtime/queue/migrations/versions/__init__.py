"""The changes of the tables, in their order."""
