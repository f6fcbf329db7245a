"""How many pods the demand needs: pure functions of what was measured and the clock."""
