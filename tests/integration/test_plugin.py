"""`kubectl docparser` against a real API server and the running operator."""

import json
import re
from pathlib import Path

import yaml
from docparser_kubectl.console import PIPE_WIDTH
from support.eventually import eventually
from support.kubectl import Kubectl, Manifest
from support.operator_process import OperatorProcess
from support.plugin import Ended, docparser

from .conftest import a_parser, condition, make_pods_ready, wait_serving

OLD, NEW = "example.org/runtime:1", "example.org/runtime:2"


def reader(kubectl: Kubectl) -> Manifest:
    found = kubectl.get("dpd", "reader")
    assert found is not None
    return found


def annotations(kubectl: Kubectl) -> dict[str, str]:
    found: dict[str, str] = reader(kubectl)["metadata"].get("annotations", {})
    return found


def test_looking_at_two_revisions_and_planning_a_third(
    kubectl: Kubectl, operator: OperatorProcess
) -> None:
    kubectl.apply(a_parser("reader", image=OLD))
    wait_serving(kubectl, "reader")
    kubectl.apply(a_parser("reader", image=NEW))
    unfinished = docparser(kubectl, "status", "reader", "--watch", "--timeout", "1")
    assert (unfinished.code, unfinished.out != "") == (1, True)
    assert "has not ended within 1 s; it goes on" in unfinished.err
    wait_serving(kubectl, "reader")
    status_of_the_second_revision(kubectl)
    history_of_both_revisions(kubectl)
    generation = reader(kubectl)["metadata"]["generation"]
    plans(kubectl)
    assert reader(kubectl)["metadata"]["generation"] == generation


def status_of_the_second_revision(kubectl: Kubectl) -> None:
    followed = docparser(kubectl, "status", "dpd/reader", "--watch", "--timeout", "20")
    assert (followed.code, followed.err) == (0, "")
    assert "Complete: revision 2" in followed.out
    assert NEW in followed.out
    assert max(map(len, followed.out.splitlines())) <= PIPE_WIDTH


def history_of_both_revisions(kubectl: Kubectl) -> None:
    entries = json.loads(docparser(kubectl, "history", "reader", "-o", "json").out)
    assert [(e["number"], e["image"], e["marks"]) for e in entries] == [
        (2, NEW, ["serving", "wanted"]),
        (1, OLD, []),
    ]
    assert [e["outcome"]["result"] for e in entries] == ["Succeeded", "Succeeded"]
    version = entries[1]["observations"][0]["resourceVersion"]
    differs = docparser(kubectl, "diff", "reader", f"resourceVersion:{version}", "serving")
    assert differs.out.splitlines() == [f'- image: "{OLD}"', f'+ image: "{NEW}"']


def plans(kubectl: Kubectl) -> None:
    same = plan(kubectl, image=NEW)
    assert (same.code, same.err) == (0, "")
    assert "nothing to do" in same.out
    back = plan(kubectl, replicas=3, image=OLD)
    assert back.code == 2
    assert "known from before, comes back" in back.out
    assert "+ spec.replicas: 3" in back.out
    assert "no node can run a pod: there are no nodes" in back.out
    refused = plan(kubectl, runtime={"maxConcurrency": 0})
    assert (refused.code, refused.out, len(refused.err.splitlines())) == (1, "", 1)
    assert "the API server would refuse it" in refused.err
    assert "spec.runtime.maxConcurrency" in refused.err


def plan(kubectl: Kubectl, **spec: object) -> Ended:
    text = yaml.safe_dump(a_parser("reader", **spec))
    return docparser(kubectl, "plan", "-f", "-", "--exit-code", stdin=text)


CANARY = {"strategy": "Canary", "steps": [{"setWeight": 50}, {"pause": {}}]}


def test_a_canary_is_promoted_and_rolled_back(kubectl: Kubectl, operator: OperatorProcess) -> None:
    kubectl.apply(a_parser("reader", image=OLD))
    wait_serving(kubectl, "reader")
    kubectl.apply(a_parser("reader", image=NEW, rollout=CANARY))
    eventually(lambda: pause_of(kubectl), lambda reason: reason == "Step", 20, "at the pause")
    shown = docparser(kubectl, "status", "reader").out
    assert "→ 1 wait until promoted" in shown
    assert "go on with: kubectl docparser promote reader" in shown

    done = docparser(kubectl, "promote", "reader")
    assert done.code == 0, done.err
    assert annotations(kubectl)["docparser.dev/promote"] == "2/1"
    me = json.loads(kubectl.run("auth", "whoami", "-o", "json"))["status"]["userInfo"]["username"]
    eventually(
        lambda: reader(kubectl)["status"].get("requests"),
        lambda asked: asked and (asked[0]["name"], asked[0]["claimedBy"]) == ("promote", me),
        20,
        "the status says who asked",
    )
    eventually(lambda: number_that_serves(kubectl), lambda number: number == 2, 20, "promoted")

    refused = docparser(kubectl, "rollback", "reader", "--to", "7")
    assert (refused.code, len(refused.err.splitlines())) == (1, 1)
    assert "known are 2 (" in refused.err
    back = docparser(kubectl, "rollback", "reader", "--to", "1", "--reason", "wrong text")
    assert back.code == 0, back.err
    value = annotations(kubectl)["docparser.dev/rollback-to"]
    assert re.fullmatch(r"1#\S+Z wrong text", value)
    assert f"'docparser.dev/rollback-to={value}'" in back.out
    eventually(lambda: number_that_serves(kubectl), lambda number: number == 1, 20, "rolled back")
    assert condition(kubectl, "reader", "RolledBack")["status"] == "True"
    assert docparser(kubectl, "rollback", "reader", "--end").code == 0
    assert "docparser.dev/rollback-to" not in annotations(kubectl)


def pause_of(kubectl: Kubectl) -> str | None:
    """Why the rollout waits; pods are made ready meanwhile."""
    make_pods_ready(kubectl)
    rollout = reader(kubectl)["status"].get("rollout", {})
    reason: str | None = rollout.get("pause", {}).get("reason")
    return reason


def number_that_serves(kubectl: Kubectl) -> int:
    make_pods_ready(kubectl)
    number: int = reader(kubectl)["status"]["currentRevisionNumber"]
    return number


def test_a_new_object_and_errors(kubectl: Kubectl, tmp_path: Path) -> None:
    file = tmp_path / "new.yaml"
    file.write_text(yaml.safe_dump(a_parser("fresh", replicas=2)))
    done = docparser(kubectl, "plan", "-f", str(file), "--exit-code")
    assert done.code == 2, done.err
    assert "2 start, 0 stop, at most 2 at a time" in done.out
    assert kubectl.get("dpd", "fresh") is None

    missing = docparser(kubectl, "status", "nobody")
    assert (missing.code, len(missing.err.splitlines())) == (1, 1)
    assert "dpd/nobody does not exist in namespace" in missing.err
    nowhere = docparser(kubectl, "status", "nobody", "--context", "nowhere")
    assert (nowhere.code, len(nowhere.err.splitlines())) == (1, 1)
