"""What pods expose of their load."""


def exposed(**given: float) -> str:
    """Return the text of a pod of which only the names in `given` are not zero."""
    names = {
        "pages": "docparser_pages_total",
        "documents": "docparser_queue_wait_seconds_count",
        "tasks": 'docparser_tasks_total{code="ok"}',
        "waiting": "docparser_requests_waiting",
        "running": "docparser_requests_running",
        "queued_pages": 'docparser_queue_queued_pages{track="stable"}',
        "more_pages": 'docparser_queue_queued_pages{track="canary"}',
        "running_jobs": 'docparser_queue_running_jobs{track="stable"}',
        "running_pages": 'docparser_queue_running_pages{track="stable"}',
        "oldest": 'docparser_queue_oldest_seconds{track="stable"}',
        "older": 'docparser_queue_oldest_seconds{track="canary"}',
        "refused": 'docparser_requests_total{route="/v1/document/parse",status="429",code="x"}',
        "used": 'docparser_vram_used_bytes{device="0"}',
        "planned": 'docparser_vram_planned_bytes{device="0"}',
    }
    lines = [f"{names[name]} {value}" for name, value in {"pages": 0, **given}.items()]
    return "\n".join(["# TYPE docparser_pages_total counter", *lines, "other_total 5", ""])
