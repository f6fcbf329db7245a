"""Documents that are accepted now and read later: submission, work, results."""
