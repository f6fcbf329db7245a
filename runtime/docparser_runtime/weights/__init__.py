"""Weights of a model: fetched, verified, marked and pruned before an engine loads them."""
