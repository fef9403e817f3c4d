select id, partition, name, correlation_key, instance_id, payload, position, accepted_utc, due_utc, expires_utc
  from signals where partition % $1 = $2 order by position
