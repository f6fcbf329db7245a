"""One function per operation of the decoder, in plain torch and in Triton."""
