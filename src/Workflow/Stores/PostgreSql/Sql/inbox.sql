-- name: put_keys
-- In one order for all, so that two puts never wait for each other.
insert into idempotency_keys (key, request_hash, result_id, created_utc)
select key, request_hash, result_id, created_utc
  from unnest($1::text[], $2::text[], $3::uuid[], $4::timestamptz[]) with ordinality as k (key, request_hash, result_id, created_utc, place)
 order by key, place
on conflict do nothing

-- name: put_messages
-- Only what has no key, or whose key is the one stored.
insert into pending (id, partition, kind, position, body)
select m.id, m.partition, m.kind, m.position, m.body
  from unnest($1::uuid[], $2::smallint[], $3::smallint[], $4::bigint[], $5::text[], $6::text[], $7::uuid[])
       as m (id, partition, kind, position, body, key, result_id)
  left join idempotency_keys k on k.key = m.key
 where m.key is null or k.result_id = m.result_id

-- name: find_keys
select key, request_hash, result_id, created_utc from idempotency_keys where key = any ($1)

-- name: read_inbox
select id, partition, kind, position, body
  from pending where kind = 2 and partition % $1 = any ($2) order by position limit $3

-- name: take_replies
delete from replies where message_id = any ($1) returning message_id, body, created_utc
