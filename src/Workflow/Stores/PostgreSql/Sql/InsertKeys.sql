insert into idempotency_keys (key, request_hash, result_id, created_utc)
select * from unnest($1::text[], $2::text[], $3::uuid[], $4::timestamptz[])
