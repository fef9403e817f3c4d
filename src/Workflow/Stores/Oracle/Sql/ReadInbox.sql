select m.id, m.partition_no, m.kind, m.body, m.position_no
  from messages m
 where mod(m.partition_no, :p_lane_count) in (
        select j.lane from json_table(:p_lanes, '$[*]' error on error columns (lane number(10) path '$')) j)
 order by m.position_no
 fetch first :p_limit rows only
