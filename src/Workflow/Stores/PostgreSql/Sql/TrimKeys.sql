delete from idempotency_keys where created_utc < $1
