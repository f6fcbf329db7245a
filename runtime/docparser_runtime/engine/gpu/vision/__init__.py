"""From page images to the rows that the decoder reads in place of image tokens."""
