insert into messages (id, partition, kind, body, position)
select * from unnest($1::uuid[], $2::smallint[], $3::text[], $4::text[], $5::bigint[])
