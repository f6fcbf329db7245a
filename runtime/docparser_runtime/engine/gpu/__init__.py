"""The engines that generate text on a GPU. The only package that imports torch and its kin."""
