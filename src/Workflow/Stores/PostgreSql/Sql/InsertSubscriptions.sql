insert into subscriptions (wait_id, partition, name, correlation_key, instance_id, position)
select * from unnest($1::uuid[], $2::smallint[], $3::text[], $4::text[], $5::uuid[], $6::bigint[])
