create table schema_versions (version number(10) not null primary key, applied_utc timestamp(7) not null)
