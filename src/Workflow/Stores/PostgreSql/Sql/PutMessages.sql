-- Only what has no key, or whose key is the one stored.
insert into messages (id, partition, kind, body, position)
select m.id, m.partition, m.kind, m.body, m.position
  from unnest($1::uuid[], $2::smallint[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::uuid[]) as m (id, partition, kind, body, position, key, result_id)
  left join idempotency_keys k on k.key = m.key
 where m.key is null or k.result_id = m.result_id
