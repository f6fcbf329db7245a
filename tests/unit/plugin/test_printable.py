from docparser_kubectl.printable import printable


def test_a_message_cannot_steer_the_terminal() -> None:
    seen = {"message": "\x1b]0;owned\x07 text", "items": ["a\u009bb", 1, None, True]}
    assert printable(seen) == {
        "message": "\N{REPLACEMENT CHARACTER}]0;owned\N{REPLACEMENT CHARACTER} text",
        "items": ["a\N{REPLACEMENT CHARACTER}b", 1, None, True],
    }


def test_lines_and_letters_stay() -> None:
    assert printable("é\n\t界") == "é\n\t界"
