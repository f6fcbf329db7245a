"""The durable queue: jobs, pages and leases in one database, SQLite or PostgreSQL."""
