insert into events (stream, sequence, type, definition, body, created_utc)
select $1, u.* from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::timestamptz[]) as u
