select id, partition_no, kind, body, position_no
  from messages where mod(partition_no, :p_lane_count) = :p_lane order by position_no
