-- name: create_versions
create table if not exists workflow_schema (version integer primary key, applied_utc timestamptz not null default now())

-- name: lock_versions
-- Before the table is made, so that several processes may migrate at once.
select pg_advisory_xact_lock(hashtextextended('workflow schema migration', 0))

-- name: is_before_release
-- Null where the schema does not exist yet.
select to_regclass(quote_ident(current_schema()) || '.schema_versions') is not null

-- name: read_version
select coalesce(max(version), 0) from workflow_schema

-- name: add_version
insert into workflow_schema (version) values ($1)
