select a.pid, a.application_name, coalesce(host(a.client_addr), 'local'), a.backend_start
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
 where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.database = (select oid from pg_database where datname = current_database())
   and (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('workflow engine on schema ' || current_setting('search_path'), 0)
