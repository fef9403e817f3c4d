insert into dead_letters (id, partition, kind, subject_id, instance_id, reason, attempts, payload, created_utc, last_attempt_utc)
select * from unnest($1::uuid[], $2::smallint[], $3::smallint[], $4::uuid[], $5::uuid[], $6::text[], $7::integer[], $8::text[], $9::timestamptz[],
                     $10::timestamptz[])
