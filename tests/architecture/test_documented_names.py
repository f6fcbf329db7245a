"""Names of ours in the documents exist: annotations, conditions, fields, commands, metrics."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest
import typer
from docparser_api import names
from docparser_api.autoscaling import Mode
from docparser_api.golden import ClassScores
from docparser_api.queue import Topology
from docparser_api.rollout import Strategy
from docparser_api.status import ConditionType, Measurement, Reason, RolloutPause, Verdict
from docparser_api.weights import AccessMode
from docparser_kubectl.__main__ import app as plugin
from docparser_operator.desired.scalers import EXTERNAL
from docparser_operator.settings import PREFIX, Settings
from docparser_runtime import client
from docparser_runtime.__main__ import app as runtime
from docparser_runtime.metrics import Metrics
from docparser_runtime.weights.errors import Code
from prometheus_client import CollectorRegistry
from support.documents import (
    DOCUMENTS,
    REPOSITORY,
    commands,
    field_names,
    has_field,
    schema,
    spans,
)
from support.exposed_metrics import exposed_metrics

SCHEMA = schema()
IMAGES = {f"{names.GROUP}/operator", f"{names.GROUP}/runtime"}
SPELLED = {v for k, v in vars(names).items() if isinstance(v, str) and k.isupper()} | IMAGES
EVENTS = {"StepReached", "Requested", *(f"Analysis{verdict}" for verdict in get_args(Verdict))}
# Words of others: kinds, values and health of Kubernetes and its tools.
FOREIGN = {
    *("ConfigMap", "ControllerRevision", "Deployment", "HTTPRoute", "Secret", "Service"),
    *("True", "False", "Unknown", "Suspended", "ImageVolume", "None"),
}
WORDS = {
    *ConditionType,
    *Reason,
    *Code,
    *EVENTS,
    *client.__all__,
    *FOREIGN,
    names.KIND,
    *get_args(Mode),
    *get_args(Strategy),
    *get_args(Topology),
    *get_args(Verdict),
    *get_args(AccessMode),
    *get_args(RolloutPause.model_fields["reason"].annotation),
}
FIELDS = field_names(SCHEMA) | {f.alias for f in ClassScores.model_fields.values() if f.alias}
FIELDS |= {"backendRefs", "preStop", "resourceVersion"}
CHECKS = set(re.findall(r"\w+", Measurement.model_fields["name"].description or ""))
SECRET_KEYS = {"accessKeyId", "secretAccessKey", "sessionToken"}
PROGRAMS: dict[str, Any] = {
    "kubectl docparser": typer.main.get_command(plugin),
    "docparser-runtime": typer.main.get_command(runtime),
}
VERBS = {"annotate", "apply", "create", "delete", "describe", "diff", "docparser", "explain"}
VERBS |= {"get", "logs", "port-forward", "scale", "set", "wait"}
every_document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.name))


def unknown(path: Path, pattern: str, known: set[str]) -> set[str]:
    """The words between backticks that match `pattern` and are not known."""
    found = {span for span in spans(path) if re.fullmatch(pattern, span)}
    return found - known


@every_document
def test_labels_and_annotations_exist(path: Path) -> None:
    text = path.read_text().replace(names.API_VERSION, "")
    named = re.findall(rf"(?<![\w.-]){re.escape(names.GROUP)}/[a-z]+(?:-[a-z]+)*", text)
    assert set(named) - SPELLED == set()


@every_document
def test_conditions_reasons_and_codes_exist(path: Path) -> None:
    assert unknown(path, r"[A-Z][a-z]+[A-Za-z]*", WORDS) == set()


def test_every_condition_and_reason_that_is_given_is_in_the_readme() -> None:
    sources = [path.read_text() for path in REPOSITORY.glob("operator/**/*.py")]
    given = {r for r in Reason if any(f"Reason.{r.name}" in source for source in sources)}
    assert len(given) > 40
    assert {*given, *ConditionType} - set(spans(REPOSITORY / "README.md")) == set()


def test_every_event_that_is_documented_is_sent() -> None:
    source = (REPOSITORY / "operator/docparser_operator/transitions.py").read_text()
    assert '"StepReached"' in source
    assert 'f"Analysis{found.verdict}"' in source


@every_document
def test_fields_exist(path: Path) -> None:
    paths = {s for s in spans(path) if re.fullmatch(r"(spec|status)(\.[A-Za-z]+)+(?<!\.py)", s)}
    paths |= set(re.findall(r"\{\.(status[.\w]*)\}", path.read_text()))
    assert [p for p in sorted(paths) if not has_field(p, SCHEMA)] == []


@every_document
def test_names_of_fields_exist(path: Path) -> None:
    known = FIELDS | CHECKS | SECRET_KEYS
    dotted = {s for s in spans(path) if re.fullmatch(r"[a-z]+[A-Z]\w*(\.[a-z]\w*)*", s)}
    assert {part for name in dotted for part in name.split(".")} - known == set()


@every_document
def test_commands_and_their_options_exist(path: Path) -> None:
    for line in commands(path):
        for program, root in PROGRAMS.items():
            if found := re.search(rf"(?:^|\s|/){program} (.+)", line):
                assert_known(root, found[1].split(), line)


def assert_known(root: Any, words: list[str], line: str) -> None:
    """The command of `words` exists with its options."""
    command, options = root, {"--help"}
    for word in words:
        if word.startswith("-"):
            known = {option for parameter in command.params for option in parameter.opts}
            assert word.partition("=")[0] in known | options, line
        elif hasattr(command, "commands"):
            assert word in command.commands, line
            command = command.commands[word]


@every_document
def test_plain_commands_are_those_of_kubectl(path: Path) -> None:
    lines = (line for line in commands(path) if line.startswith("kubectl "))
    assert {line.split()[1] for line in lines} <= VERBS


@every_document
def test_conditions_that_are_waited_for_exist(path: Path) -> None:
    waited_for = set(re.findall(r"--for=condition=(\w+)", path.read_text()))
    assert waited_for <= set(ConditionType)


@every_document
def test_metrics_exist(path: Path) -> None:
    registry = CollectorRegistry()
    Metrics(registry)
    known = {sample.name for metric in registry.collect() for sample in metric.samples}
    known |= {metric.name + end for metric in registry.collect() for end in ("_sum", "_count")}
    known |= {*exposed_metrics(), EXTERNAL}
    named = set(
        re.findall(r"\bdocparser_(?!api|operator|runtime|kubectl|site)\w+", path.read_text())
    )
    assert named <= known


@every_document
def test_settings_of_the_operator_exist(path: Path) -> None:
    named = set(re.findall(rf"\b{PREFIX}([A-Z_]*[A-Z])", path.read_text()))
    assert {name.lower() for name in named} <= set(Settings.model_fields)
