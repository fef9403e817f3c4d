-- name: create_versions
create table if not exists payments_schema (version integer primary key, applied_utc timestamptz not null default now())

-- name: lock_versions
-- Before the table is made, so that several processes may migrate at once.
select pg_advisory_xact_lock(hashtextextended('payments schema', 0))

-- name: is_before_release
-- Null where the schema does not exist yet.
select to_regclass(quote_ident(current_schema()) || '.schema_versions') is not null

-- name: read_version
select coalesce(max(version), 0) from payments_schema

-- name: add_version
insert into payments_schema (version) values ($1)
