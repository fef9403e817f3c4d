select id, partition, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from instances where partition % $1 = $2 order by id
