"""The benchmark of the GPU engine: `docparser-bench`."""
