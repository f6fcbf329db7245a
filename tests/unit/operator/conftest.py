from support.quiet import quiet

__all__ = ["quiet"]
