insert into finished_instances
       (id, partition, definition, definition_version, revision, state, correlation_key, body, history, created_utc, updated_utc)
select * from unnest($1::uuid[], $2::smallint[], $3::text[], $4::integer[], $5::bigint[], $6::smallint[], $7::text[], $8::text[], $9::text[],
                     $10::timestamptz[], $11::timestamptz[])
