select id, partition_no, kind, subject_id, instance_id, reason, attempts, payload, created_utc, last_attempt_utc, replayed_utc, applied
  from dead_letters where open_id is not null and mod(partition_no, :p_lane_count) = :p_lane order by id
