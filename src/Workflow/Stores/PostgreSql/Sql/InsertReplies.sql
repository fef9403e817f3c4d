insert into replies (message_id, body, created_utc)
select * from unnest($1::uuid[], $2::text[], $3::timestamptz[])
