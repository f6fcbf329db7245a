"""The command `parse`: one document here and now, or any number of them by a service."""
