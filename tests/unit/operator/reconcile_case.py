"""The object and the world that the tests of reconcile start from."""

from docparser_operator.kinds import DOC_PARSER, Key, Ref
from support.builders import a_parser
from support.world import World

PARSER = a_parser().with_replicas(2)
NEXT = PARSER.with_image("example.org/runtime:2")
BROKEN = PARSER.with_image("example.org/runtime:broken")
REF = Ref(DOC_PARSER, "default", "reader")
KEY = Key("default", "reader")
LONG = 2000.0


def a_settled_world() -> World:
    world = World()
    world.apply(PARSER)
    world.settle(LONG)
    return world
