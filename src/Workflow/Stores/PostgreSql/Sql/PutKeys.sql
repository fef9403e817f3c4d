-- In one order for all, so that two puts never wait for each other.
insert into idempotency_keys (key, request_hash, result_id, created_utc)
select key, request_hash, result_id, created_utc
  from unnest($1::text[], $2::text[], $3::uuid[], $4::timestamptz[]) with ordinality as k (key, request_hash, result_id, created_utc, place)
 order by key, place
on conflict do nothing
