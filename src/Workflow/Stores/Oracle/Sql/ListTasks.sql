select id, partition_no, instance_id, definition, definition_version, correlation_key, step_name, state, assignee, group_names, output,
       created_utc, updated_utc, due_utc
  from tasks t
 where (:p_assignee is null or assignee = :p_assignee)
   and (:p_group_name is null or exists (select 1 from task_groups g where g.group_name = :p_group_name and g.task_id = t.id))
   and (:p_state is null or state = :p_state)
   and (:p_after is null or id > :p_after)
 order by id
 fetch first :p_limit rows only
