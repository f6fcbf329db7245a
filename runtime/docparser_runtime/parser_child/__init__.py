"""The disposable process that opens one untrusted document and draws its pages.

It is started by `documents` and shares with it only the frames on a socket.
Nothing of the service is imported here, so that starting is quick and a
document that takes the process over finds nothing of value in it.
"""
