"""Arriving documents played through autoscalers: what each costs, and how long documents wait."""
