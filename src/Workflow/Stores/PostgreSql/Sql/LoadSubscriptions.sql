select wait_id, partition, name, correlation_key, instance_id, position
  from subscriptions where partition % $1 = $2 order by position
