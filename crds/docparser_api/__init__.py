"""The contract between operator and runtime.

Everything both sides must agree on stands here once: the custom resource, the
runtime's configuration, names of labels, ports and paths, condition reasons.
"""
