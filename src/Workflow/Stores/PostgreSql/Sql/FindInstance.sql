select id, partition, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from instances where id = $1
union all
select id, partition, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from finished_instances where id = $1
