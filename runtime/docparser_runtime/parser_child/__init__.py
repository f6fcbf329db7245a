"""The disposable process that opens one untrusted document and draws its pages.

It is a copy of a process that `documents` starts once, and shares with the service only
the frames on a socket. Nothing of the service is imported here, so that copying is quick
and a document that takes the process over finds nothing of value in it.
"""
