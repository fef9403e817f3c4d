-- name: create_versions
create table if not exists schema_versions (version integer primary key, applied_utc timestamptz not null default now())

-- name: lock_versions
-- Before the table is made, so that several processes may migrate at once.
select pg_advisory_xact_lock(hashtextextended('payments schema', 0))

-- name: read_version
select coalesce(max(version), 0) from schema_versions

-- name: add_version
insert into schema_versions (version) values ($1)
