select id, partition, instance_id, definition, definition_version, correlation_key, step, state, assignee, groups, output, created_utc, updated_utc,
       due_utc
  from tasks where id = $1
