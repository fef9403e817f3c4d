-- The container's own counts (CON_), which in a database without containers are all there is. Times of the model lag by up to 5 s.
select 'v$sysstat.' || name, value
  from v$con_sysstat
 where name in ('user commits', 'user rollbacks', 'session logical reads', 'physical reads', 'physical writes', 'redo size', 'redo writes',
                'redo synch writes', 'redo synch time (usec)', 'redo log space requests', 'execute count', 'parse count (hard)',
                'enqueue waits', 'enqueue deadlocks', 'SQL*Net roundtrips to/from client')
union all
select 'v$sys_time_model.' || stat_name, value
  from v$con_sys_time_model
 where stat_name in ('DB time', 'DB CPU', 'background cpu time', 'sql execute elapsed time')
union all
select 'v$system_event.' || wait_class || ': ' || event, time_waited_micro_fg
  from v$con_system_event
 where wait_class <> 'Idle' and time_waited_micro_fg > 0
