-- name: find_instance
select id, partition, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from live_instances where id = $1
union all
select id, partition, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from finished_instances where id = $1

-- name: list_instances
select id, partition, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from (select * from live_instances union all select * from finished_instances) as every
 where ($1::text is null or definition = $1)
   and ($2::smallint is null or state = $2)
   and ($3::text is null or correlation_key = $3)
   and ($4::uuid is null or id > $4)
   and ($6::uuid is null or id < $6)
 order by id
 limit $5

-- name: list_next_of_key
-- Looks only at the next instances: enough for a page where many share the key.
select id, partition, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from (select *
          from (select * from live_instances union all select * from finished_instances) as every
         where ($4::uuid is null or id > $4)
           and ($6::uuid is null or id < $6)
         order by id
         limit 1000) as next
 where ($1::text is null or definition = $1)
   and ($2::smallint is null or state = $2)
   and correlation_key = $3
 order by id
 limit $5

-- name: list_instances_of_key
-- The bounds are kept from the index of ids: to find all that lie within them, and then what of it has the key, would be the long way.
select id, partition, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from (select * from live_instances union all select * from finished_instances) as every
 where ($1::text is null or definition = $1)
   and ($2::smallint is null or state = $2)
   and correlation_key = $3
   and ($4::uuid is null or (id > $4) is true)
   and ($6::uuid is null or (id < $6) is true)
 order by id
 limit $5

-- name: find_history
select lines
  from (select 0 as revision, history as lines from live_instances where id = $1
        union all
        select 0, history from finished_instances where id = $1
        union all
        select revision, lines from instance_history where instance_id = $1) as parts
 order by revision

-- name: find_children
select child_id from children where parent_id = $1 order by child_id limit $2

-- name: find_task
select id, partition, instance_id, definition, definition_version, correlation_key, step, state, assignee, groups, output, created_utc, updated_utc,
       due_utc
  from tasks where id = $1

-- name: list_tasks
select id, partition, instance_id, definition, definition_version, correlation_key, step, state, assignee, groups, output, created_utc, updated_utc,
       due_utc
  from tasks
 where ($1::text is null or assignee = $1)
   and ($2::text is null or groups @> array[$2])
   and ($3::smallint is null or state = $3)
   and ($4::uuid is null or id > $4)
 order by id
 limit $5

-- name: find_dead_letter
select id, partition, kind, subject_id, instance_id, reason, attempts, payload, created_utc, last_attempt_utc, replayed_utc, applied
  from dead_letters where id = $1

-- name: list_dead_letters
select id, partition, kind, subject_id, instance_id, reason, attempts, payload, created_utc, last_attempt_utc, replayed_utc, applied
  from dead_letters
 where (replayed_utc is not null) = $1
   and ($2::smallint is null or kind = $2)
   and ($3::uuid is null or instance_id = $3)
   and ($4::uuid is null or id > $4)
 order by id
 limit $5

-- name: read_events
-- The pages that hold so many events after the position; what is before the first of them was trimmed.
select first_sequence, events
  from (select *, min(first_sequence) over () as earliest
          from (select * from event_pages where stream = $1 and last_sequence > $2 order by last_sequence limit $3) as next_pages) as pages
 where first_sequence < $3 + greatest($2 + 1, earliest)
 order by first_sequence
