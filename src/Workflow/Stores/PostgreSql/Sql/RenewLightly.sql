set synchronous_commit = off
