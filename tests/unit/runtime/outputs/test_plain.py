from docparser_runtime.engine.base import PageResult
from docparser_runtime.outputs import plain
from docparser_runtime.outputs.pages import OutputPage, page_of_body, page_of_result
from docparser_runtime.schemas import BlockBody, PageBody
from unit.runtime.outputs.samples import a_block, a_page, a_table

PAGE = a_page(0, a_block("Head"), a_block("1 * 2*"), a_table("a,b", "1,2"))


def test_blocks_are_a_line_apart_and_cells_a_tab() -> None:
    assert plain.page_text(PAGE) == "Head\n\n1 * 2*\n\na\tb\n1\t2"
    assert plain.page_text(PAGE, {0, 2}) == "1 * 2*"


def test_markdown_can_do_without_furniture() -> None:
    assert plain.page_markdown(PAGE) == PAGE.markdown
    assert plain.page_markdown(PAGE, {0, 2}) == "1 * 2\\*"


def test_without_blocks_there_is_only_markdown() -> None:
    page = OutputPage(0, 1, 1, "# T")
    assert plain.page_text(page) == plain.page_markdown(page, {0}) == "# T"


def test_pages_come_from_engines_and_from_answers_alike() -> None:
    result = PageResult(PAGE.markdown, PAGE.blocks, truncated=True)
    page = page_of_result(4, 1000, 1400, result)
    body = PageBody(
        index=4,
        width=1000,
        height=1400,
        markdown=PAGE.markdown,
        text="",
        blocks=tuple(
            BlockBody(
                kind=block.kind,
                text=block.text,
                markdown=block.markdown,
                box=(block.box.left, block.box.top, block.box.right, block.box.bottom),
                confidence=block.confidence,
                level=block.level,
            )
            for block in PAGE.blocks
        ),
        vision_tokens=0,
        truncated=True,
        repetition=False,
        rotation_degrees=0,
        seconds=0,
    )
    assert page_of_body(PageBody.model_validate_json(body.model_dump_json())) == page
    assert page.is_cut
