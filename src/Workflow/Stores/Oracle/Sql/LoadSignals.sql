select id, partition_no, name, correlation_key, instance_id, payload, position_no, accepted_utc, due_utc, expires_utc
  from signals where mod(partition_no, :p_lane_count) = :p_lane order by position_no
