"""How the tables came to be: one module per change, in `versions`. What is released stays."""
