select id, partition_no, instance_id, definition, definition_version, correlation_key, step_name, state, assignee, group_names, output,
       created_utc, updated_utc, due_utc
  from tasks where id = :p_id
