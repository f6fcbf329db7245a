"""A real Kubernetes for the tests and the demo: one node on this machine, or kind."""
