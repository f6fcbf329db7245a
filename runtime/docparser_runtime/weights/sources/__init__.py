"""Where weights are fetched from."""
