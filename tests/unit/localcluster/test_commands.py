import sys
from pathlib import Path

import pytest
from localcluster import backend, cli, commands, locks, packages, waiting
from localcluster.console import Failure, Ticker, tail


def test_a_failing_program_is_quoted() -> None:
    with pytest.raises(Failure, match="no such thing"):
        commands.output([sys.executable, "-c", "import sys; sys.exit('no such thing')"])


def test_a_missing_program_is_named() -> None:
    with pytest.raises(Failure, match="absent-program is not installed"):
        commands.output(["absent-program"])


def test_a_hanging_program_is_given_up() -> None:
    with pytest.raises(Failure, match="no end after"):
        commands.output(
            [sys.executable, "-c", "import signal; signal.pause()"], deadline_seconds=0.01
        )


def test_a_program_that_asks_gets_no_answer_from_the_terminal() -> None:
    ask = "print(repr(__import__('sys').stdin.read()))"
    assert commands.output([sys.executable, "-c", ask]).strip() == "''"


def test_a_watched_step_leaves_its_output_in_the_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = [sys.executable, "-c", "import sys; print('said'); sys.exit(3)"]
    assert commands.watched(command, log, Ticker("step")) == 3
    assert "said" in tail(log)


def test_a_missing_log_is_no_error(tmp_path: Path) -> None:
    assert "no log" in tail(tmp_path / "absent")


def test_waiting_returns_the_first_true_answer() -> None:
    answers = iter(["", "", "yes"])
    assert waiting.until("an answer", lambda: next(answers), 5, interval_seconds=0) == "yes"


def test_waiting_in_vain_shows_the_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("the reason\n")
    with pytest.raises(Failure, match=r"an answer(.|\n)*the reason"):
        waiting.until("an answer", lambda: None, 0, log)


def test_a_lock_is_free_again_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="inside"), locks.exclusive(tmp_path / "new", "work"):
        raise ValueError("inside")
    with locks.exclusive(tmp_path / "new", "work"):
        pass


def test_missing_programs_name_their_packages() -> None:
    wanted = {"sh": "dash", "absent-one": "b-package", "absent-two": "a-package"}
    assert packages.missing(wanted) == ["a-package", "b-package"]


def test_an_unknown_kind_of_cluster_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(backend.CHOICE_ENV, "minikube")
    with pytest.raises(Failure, match="kind or local"):
        backend.chosen()


def test_without_a_cluster_commands_say_how_to_start_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCPARSER_CLUSTER_STATE", str(tmp_path / "none"))
    monkeypatch.setenv(backend.CHOICE_ENV, "local")
    assert cli.main(["kubeconfig"]) == 1
    assert "localcluster up" in capsys.readouterr().err
    assert cli.main(["status"]) == cli.NOT_RUNNING
    assert capsys.readouterr().out == "local cluster: none\n"


def test_a_missing_archive_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["load", str(tmp_path / "absent.tar")]) == 1
    assert "absent.tar" in capsys.readouterr().err
