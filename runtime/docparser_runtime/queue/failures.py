"""What keeps a queue from being opened. Meant for whoever runs the service, not for clients."""

# ruff: noqa: N818 (the names say what is wrong)


class QueueUnusable(Exception):
    """The queue cannot be used until somebody mends something."""


class QueueAddressInvalid(QueueUnusable):
    """The address names no database that a queue can live in."""


class QueueDamaged(QueueUnusable):
    """The file of the queue is damaged, or no database at all."""


class QueueSchemaTooNew(QueueUnusable):
    """A newer release has changed the tables in a way that this one cannot work with."""
