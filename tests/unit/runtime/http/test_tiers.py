"""How closely pages are looked at is the client's choice, or the engine's."""

from typing import Any

import pytest
from docparser_runtime.engine.base import Generation, PageImage, PageResult, ParseOptions
from docparser_runtime.engine.tiers import ALL_TIERS, Tier, chosen
from unit.runtime.doubles import PARSE, Service, a_document


def tiered(page: PageImage, options: ParseOptions) -> PageResult:
    of_engine = Tier.MEDIUM if page.index else Tier.HIGH
    tier = chosen(options.tier, options.at_most, of_engine)
    return PageResult(
        "x", vision_tokens=1, tier=tier.tier, lowered=tier.lowered, generation=Generation(5)
    )


async def answered(service: Service, **fields: Any) -> dict[str, Any]:
    files = {"file": ("a", a_document(2))}
    return dict((await service.client.post(PARSE, files=files, data=fields)).json())


@pytest.mark.parametrize(
    ("fields", "tiers"),
    [
        ({}, ["high", "medium"]),
        ({"tier": "auto"}, ["high", "medium"]),
        ({"tier": "low"}, ["low", "low"]),
    ],
)
async def test_pages_tell_the_tier_they_were_read_at(
    service: Service, fields: dict[str, str], tiers: list[str]
) -> None:
    service.engine.tiers, service.engine.read = ALL_TIERS, tiered
    body = await answered(service, **fields)
    assert [page["tier"] for page in body["pages"]] == tiers
    assert [page["lowered"] for page in body["pages"]] == [False, False]
    assert (body["lowered"], body["generated_tokens"]) == (False, 10)


async def test_a_tier_that_the_engine_lacks_is_refused(service: Service) -> None:
    problem = await answered(service, tier="low")
    assert (problem["code"], problem["detail"]) == (
        "unsupported_parameter",
        "tier: this engine has auto only.",
    )
    service.engine.tiers = frozenset({Tier.HIGH, Tier.LOW})
    problem = await answered(service, tier="medium")
    assert problem["detail"] == "tier: this engine has auto, low, high only."
    assert (await answered(service, tier="auto"))["pages"]
    assert (await answered(service, tier="highest"))["code"] == "invalid_request"
