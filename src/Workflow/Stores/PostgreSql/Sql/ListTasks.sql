select id, partition, instance_id, definition, definition_version, correlation_key, step, state, assignee, groups, output, created_utc, updated_utc,
       due_utc
  from tasks
 where ($1::text is null or assignee = $1)
   and ($2::text is null or groups @> array[$2])
   and ($3::smallint is null or state = $3)
   and ($4::uuid is null or id > $4)
 order by id
 limit $5
