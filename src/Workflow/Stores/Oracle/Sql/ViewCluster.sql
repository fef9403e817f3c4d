-- One statement, so one instant: lanes (entry 0) and nodes (entry 1). Times are milliseconds left.
with clock as (
    select sys_extract_utc(systimestamp) as now_utc from dual)
select 0 as entry, l.lane, s.owner_id, cast(null as varchar2(512 char)) as node_name, cast(null as timestamp(7)) as started_utc,
       extract(day from (s.held_utc - c.now_utc)) * 86400000 + extract(hour from (s.held_utc - c.now_utc)) * 3600000
         + extract(minute from (s.held_utc - c.now_utc)) * 60000 + round(extract(second from (s.held_utc - c.now_utc)) * 1000) as left_ms,
       l.last_sequence, 0 as live, t.lane_count, (select count(*) from definitions) as definition_count
  from lanes l cross join cluster_state t cross join clock c left join leases s on s.lane = l.lane
union all
select 1, 0, n.id, n.node_name, n.started_utc, 0, 0, case when n.active = 1 and n.live_utc > c.now_utc then 1 else 0 end, t.lane_count, 0
  from nodes n cross join cluster_state t cross join clock c
 where n.live_utc > c.now_utc - interval '1' minute
 order by 1, 2, 5
