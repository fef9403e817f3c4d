select wait_id, partition_no, name, correlation_key, instance_id, position_no
  from subscriptions where mod(partition_no, :p_lane_count) = :p_lane order by position_no
