select l.lane, s.owner, case when s.owner is null then interval '0' else s.until_utc - clock_timestamp() end, l.last_sequence
  from lanes l left join leases s on s.lane = l.lane order by l.lane
