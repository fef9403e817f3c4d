select name, nvl(display_value, 'not set')
  from v$parameter
 where name in ('commit_logging', 'commit_wait', 'commit_write', 'cpu_count', 'db_block_size', 'db_securefile', 'disk_asynch_io', 'filesystemio_options',
                'log_buffer', 'memory_target', 'open_cursors', 'pga_aggregate_target', 'processes', 'session_cached_cursors', 'sga_target')
union all
select 'log_mode', log_mode from v$database
