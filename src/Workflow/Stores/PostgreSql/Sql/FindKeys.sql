select key, request_hash, result_id, created_utc from idempotency_keys where key = any ($1)
