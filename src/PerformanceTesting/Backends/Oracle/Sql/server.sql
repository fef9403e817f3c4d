-- name: create_user
-- A user of its own for every test: its schema is empty, and goes with it. What it is granted is what an engine needs.
declare
    v_name constant varchar2(128) := dbms_assert.simple_sql_name(:p_name);
begin
    execute immediate 'create user ' || v_name || ' identified by ' || dbms_assert.enquote_name(:p_password, false);
    execute immediate 'grant create session, resource, unlimited tablespace, aq_administrator_role to ' || v_name;
end;

-- name: drop_user
-- Sessions that a pool still holds would keep the user from going.
declare
    v_name constant varchar2(128) := dbms_assert.simple_sql_name(:p_name);
begin
    for s in (select sid, serial# as serial_no from v$session where username = upper(v_name)) loop
        begin
            execute immediate 'alter system kill session ''' || s.sid || ',' || s.serial_no || ''' immediate';
        exception
            when others then
                if sqlcode not in (-30, -31) then -- Gone already, or marked to go.
                    raise;
                end if;
        end;
    end loop;
    for attempt in 1 .. 20 loop
        begin
            execute immediate 'drop user ' || v_name || ' cascade';
            exit;
        exception
            when others then
                if sqlcode <> -1940 or attempt = 20 then -- A session that was marked lasts until it notices.
                    raise;
                end if;
        end;
        dbms_session.sleep(0.5);
    end loop;
end;

-- name: read_counters
-- Those of the pluggable database that is asked (CON_); of all where there are no containers. Times of the model lag by up to 5 s.
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

-- name: read_settings
select name, nvl(display_value, 'not set')
  from v$parameter
 where name in ('commit_logging', 'commit_wait', 'commit_write', 'cpu_count', 'db_block_size', 'db_securefile', 'disk_asynch_io', 'filesystemio_options',
                'log_buffer', 'memory_target', 'open_cursors', 'pga_aggregate_target', 'processes', 'session_cached_cursors', 'sga_target')
union all
select 'log_mode', log_mode from v$database
