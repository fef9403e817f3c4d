select id, partition_no, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from instances where id = :p_id
union all
select id, partition_no, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from finished_instances where id = :p_id
