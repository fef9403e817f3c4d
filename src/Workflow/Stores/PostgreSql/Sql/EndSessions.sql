-- An owner that was stopped while it sent a flush holds the lane's row until its session ends. Its lease is over: nothing of that flush may be committed.
select pg_terminate_backend(s.session)
  from leases s join pg_stat_activity a on a.pid = s.session and a.backend_start = s.session_start and a.state <> 'idle'
 where s.lane = any ($1) and s.owner is not null and s.until_utc <= clock_timestamp()
