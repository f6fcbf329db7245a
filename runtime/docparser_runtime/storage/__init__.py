"""Where uploads and results lie: a directory, or a bucket of an S3-compatible store."""
