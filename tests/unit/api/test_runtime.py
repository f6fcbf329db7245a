from docparser_api.runtime import RuntimeConfig, grace_period_seconds, longest_drain_seconds


def test_a_pod_may_finish_all_it_has_accepted() -> None:
    config = RuntimeConfig(
        lame_duck_seconds=5, queue_timeout_seconds=30, request_timeout_seconds=300
    )
    assert longest_drain_seconds(config) == 395
    assert grace_period_seconds(config) == 405
