"""Errors of durable tasks, of their queue and of their store."""

# ruff: noqa: N818 (the names are those of the codes that clients see)

from http import HTTPStatus

from docparser_runtime.errors import DocParserError


class IdempotencyKeyReused(DocParserError):
    """The header Idempotency-Key came before, with another request."""

    code = "idempotency_key_reused"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class TaskQueueFull(DocParserError):
    """`tasks.maxQueuedPages` pages wait already."""

    code = "queue_full"
    status = HTTPStatus.SERVICE_UNAVAILABLE


class TenantLimit(DocParserError):
    """This tenant has as many pages queued, or sends as many requests, as it may."""

    code = "tenant_limit"
    status = HTTPStatus.TOO_MANY_REQUESTS


class QueueUnavailable(DocParserError):
    """The database of the queue does not answer. Nothing was accepted."""

    code = "queue_unavailable"
    status = HTTPStatus.SERVICE_UNAVAILABLE


class StorageFull(DocParserError):
    """The store of uploads and results has no room."""

    code = "storage_full"
    status = HTTPStatus.INSUFFICIENT_STORAGE


class StorageUnavailable(DocParserError):
    """The store of uploads and results does not answer."""

    code = "storage_unavailable"
    status = HTTPStatus.SERVICE_UNAVAILABLE


class TaskNotFound(DocParserError):
    """There is no such task, or it is another tenant's."""

    code = "task_not_found"
    status = HTTPStatus.NOT_FOUND


class TaskExpired(DocParserError):
    """The task ended longer than `tasks.retentionSeconds` ago."""

    code = "task_expired"
    status = HTTPStatus.GONE


class LinkUnavailable(DocParserError):
    """The service gives no link to this form of the result; the form itself can be had."""

    code = "link_unavailable"
    status = HTTPStatus.NOT_FOUND


class PageNotFound(DocParserError):
    """The task's document has no such page, or is gone."""

    code = "page_not_found"
    status = HTTPStatus.NOT_FOUND


class TaskNotDone(DocParserError):
    """The task is still queued or running, so that there is no result yet."""

    code = "task_not_done"
    status = HTTPStatus.CONFLICT


class TaskEnded(DocParserError):
    """The task has ended, so that it cannot be cancelled."""

    code = "task_ended"
    status = HTTPStatus.CONFLICT


class TaskCancelled(DocParserError):
    """The task was cancelled, so that there will be no result."""

    code = "task_cancelled"
    status = HTTPStatus.CONFLICT


class TasksDisabled(DocParserError):
    """This service has no place to keep tasks."""

    code = "tasks_disabled"
    status = HTTPStatus.NOT_FOUND


class Poison(DocParserError):
    """Workers crashed over this document `tasks.maxCrashes` times."""

    code = "poison"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class ResultCorrupt(DocParserError):
    """The stored result is damaged; the task is being run again."""

    code = "result_corrupt"
    status = HTTPStatus.SERVICE_UNAVAILABLE


class UploadLost(DocParserError):
    """The stored document of the task is missing or damaged; it has to be sent again."""

    code = "upload_lost"
    status = HTTPStatus.INTERNAL_SERVER_ERROR
