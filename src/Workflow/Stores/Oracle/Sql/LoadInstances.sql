select id, partition_no, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from instances where mod(partition_no, :p_lane_count) = :p_lane order by id
