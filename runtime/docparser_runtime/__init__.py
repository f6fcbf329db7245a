"""The OCR service: documents in, Markdown out."""
