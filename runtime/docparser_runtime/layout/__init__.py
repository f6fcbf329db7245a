"""From lines of text to blocks in reading order and their Markdown: pure functions.

A page goes through `reading_order` (columns), `paragraphs` (lines that belong
together), `blocks` (what each of them is) and `markdown`; ruled tables are
found in the pixels by `rules` and filled by `tables`.
"""
