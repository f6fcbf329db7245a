"""The decisions of engines that generate text: what to look at, what to run next, when to stop.

Nothing here knows a GPU: no torch, no clock, no I/O.
"""
