-- name: read_server
select (select max(version) from product_component_version where product like 'Oracle%'),
       (select value from nls_database_parameters where parameter = 'NLS_CHARACTERSET')
  from dual

-- name: create_versions
create table workflow_schema (version number(10) not null primary key, applied_utc timestamp(7) not null)

-- name: wait_for_writers
-- A change of a table that other nodes write to waits for their transactions instead of failing at once.
begin
    execute immediate 'alter session set ddl_lock_timeout = 20';
end;

-- name: lock_versions
lock table workflow_schema in exclusive mode wait 25

-- name: is_before_release
select count(*) from user_tables where table_name = 'SCHEMA_VERSIONS'

-- name: read_version
select coalesce(max(version), 0) from workflow_schema

-- name: add_version
insert into workflow_schema (version, applied_utc) values (:p_version, sys_extract_utc(systimestamp))
