insert into events (stream, sequence, type, definition, body, created_utc)
select * from unnest($1::integer[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
