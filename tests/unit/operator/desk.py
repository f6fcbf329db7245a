"""A writer with a cluster in memory and its own view of it."""

from docparser_api.deployment import parse
from docparser_operator.kinds import (
    DOC_PARSER,
    Key,
    Kind,
    Ref,
)
from docparser_operator.observed import observe
from docparser_operator.plan import make_plan
from docparser_operator.store import Store
from docparser_operator.writer import Writer
from support.builders import a_parser
from support.fake_clock import FakeClock
from support.memory_cluster import MemoryCluster

PARSER = a_parser().with_replicas(2)
KEY = Key("default", "reader")
PARENT = Ref(DOC_PARSER, "default", "reader")


class Desk:
    """A writer with its cluster and its view of it."""

    def __init__(self) -> None:
        self.cluster = MemoryCluster(FakeClock())
        self.cluster.submit(PARSER.manifest())
        self.store = Store()
        self.leads = True
        self.writer = Writer(self.cluster, self.store, lambda: self.leads)
        self.look(PARENT)

    def look(self, ref: Ref) -> None:
        self.store.put(self.cluster.objects[ref])

    async def carry_out(self) -> None:
        body = self.store.resource(KEY)
        assert body is not None
        parser = parse(body)
        observed = observe(parser.metadata, self.store.children(KEY))
        plan = make_plan(parser, observed, self.cluster.clock())
        await self.writer.carry_out(parser.metadata, observed, plan)

    def ref(self, kind: Kind) -> Ref:
        return next(ref for ref in self.cluster.objects if ref.kind == kind)

    def written(self) -> list[tuple[str, bool]]:
        return [(write.ref.kind.kind, write.changed) for write in self.cluster.writes]


async def settled() -> Desk:
    desk = Desk()
    await desk.carry_out()
    desk.cluster.writes.clear()
    return desk
