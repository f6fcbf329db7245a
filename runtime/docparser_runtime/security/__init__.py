"""Who may call, how often and over what: tokens, limits, addresses, TLS, headers, audit."""
