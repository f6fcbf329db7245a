"""What was read, in the forms that people ask for: Markdown, plain text, HTML, searchable PDF.

Everything here is a pure function of pages and blocks, or of bytes; nothing touches files, the
network or the clock.
"""
