-- A user of its own for every test: its schema is empty, and goes with it. What it is granted is what an engine needs.
declare
    v_name constant varchar2(128) := dbms_assert.simple_sql_name(:p_name);
begin
    execute immediate 'create user ' || v_name || ' identified by ' || dbms_assert.enquote_name(:p_password, false);
    execute immediate 'grant create session, resource, unlimited tablespace, aq_administrator_role to ' || v_name;
end;
