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
    execute immediate 'drop user ' || v_name || ' cascade';
end;
