insert into signals (id, partition, name, correlation_key, instance_id, payload, position, accepted_utc, due_utc, expires_utc)
select * from unnest($1::uuid[], $2::smallint[], $3::text[], $4::text[], $5::uuid[], $6::text[], $7::bigint[], $8::timestamptz[],
                     $9::timestamptz[], $10::timestamptz[])
