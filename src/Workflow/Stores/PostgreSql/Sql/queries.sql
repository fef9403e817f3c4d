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
   and ($7::text is null or starts_with(definition, $7))
   and ($8::text is null or starts_with(correlation_key, $8))
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
   and ($7::text is null or starts_with(definition, $7))
   and ($8::text is null or starts_with(correlation_key, $8))
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
   and ($7::text is null or starts_with(definition, $7))
   and ($8::text is null or starts_with(correlation_key, $8))
 order by id
 limit $5

-- name: search_instances
-- Looks only at the first rows in order of id, at most $9: of the table that can have the state, and of the state where an index leads to it. The
-- bounds of what failed or was cancelled name the state, too, so that only that index serves them: the primary key would pass all that completed.
select id, partition, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from (select *
          from (select * from live_instances union all select * from finished_instances) as every
         where ($2::smallint is null or $2 > 2 or state <= 2)
           and ($2::smallint is null or $2 <= 2 or state >= 3)
           and ($2::smallint is null or $2 < 4 or state = $2)
           and ($4::uuid is null or (coalesce($2, 0) < 4 and id > $4) or (coalesce($2, 0) >= 4 and (state, id) > ($2, $4)))
           and ($6::uuid is null or (coalesce($2, 0) < 4 and id < $6) or (coalesce($2, 0) >= 4 and (state, id) < ($2, $6)))
         order by id
         limit $9) as next
 where ($1::text is null or definition = $1)
   and ($2::smallint is null or state = $2)
   and ($3::text is null or correlation_key = $3)
   and ($7::text is null or starts_with(definition, $7))
   and ($8::text is null or starts_with(correlation_key, $8))
 order by id
 limit $5

-- name: count_instances
-- As search_instances, with the first $5 rows: how many of them match, how many there are, and the last.
select count(*) filter (where ($1::text is null or definition = $1)
                          and ($2::smallint is null or state = $2)
                          and ($3::text is null or correlation_key = $3)
                          and ($7::text is null or starts_with(definition, $7))
                          and ($8::text is null or starts_with(correlation_key, $8)))::integer,
       count(*)::integer,
       (array_agg(id order by id))[count(*)::integer]
  from (select id, definition, state, correlation_key
          from (select id, definition, state, correlation_key from live_instances
                union all
                select id, definition, state, correlation_key from finished_instances) as every
         where ($2::smallint is null or $2 > 2 or state <= 2)
           and ($2::smallint is null or $2 <= 2 or state >= 3)
           and ($2::smallint is null or $2 < 4 or state = $2)
           and ($4::uuid is null or (coalesce($2, 0) < 4 and id > $4) or (coalesce($2, 0) >= 4 and (state, id) > ($2, $4)))
           and ($6::uuid is null or (coalesce($2, 0) < 4 and id < $6) or (coalesce($2, 0) >= 4 and (state, id) < ($2, $6)))
         order by id
         limit $5) as next

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
   and ($6::uuid is null or id < $6)
 order by id
 limit $5

-- name: search_tasks
-- As search_instances. An index leads to the tasks of a state, and to those of an assignee in a state.
select id, partition, instance_id, definition, definition_version, correlation_key, step, state, assignee, groups, output, created_utc, updated_utc,
       due_utc
  from (select *
          from tasks
         where ($3::smallint is null or state = $3)
           and ($1::text is null or $3::smallint is null or assignee = $1)
           and ($4::uuid is null or ($3 is null and id > $4)
                or ($3 is not null and $1 is null and (state, id) > ($3, $4))
                or ($3 is not null and $1 is not null and (assignee, state, id) > ($1, $3, $4)))
           and ($6::uuid is null or ($3 is null and id < $6)
                or ($3 is not null and $1 is null and (state, id) < ($3, $6))
                or ($3 is not null and $1 is not null and (assignee, state, id) < ($1, $3, $6)))
         order by id
         limit $7) as next
 where ($1::text is null or assignee = $1)
   and ($2::text is null or groups @> array[$2])
 order by id
 limit $5

-- name: count_tasks
-- As search_tasks.
select count(*) filter (where ($1::text is null or assignee = $1)
                          and ($2::text is null or groups @> array[$2]))::integer,
       count(*)::integer,
       (array_agg(id order by id))[count(*)::integer]
  from (select id, assignee, groups
          from tasks
         where ($3::smallint is null or state = $3)
           and ($1::text is null or $3::smallint is null or assignee = $1)
           and ($4::uuid is null or ($3 is null and id > $4)
                or ($3 is not null and $1 is null and (state, id) > ($3, $4))
                or ($3 is not null and $1 is not null and (assignee, state, id) > ($1, $3, $4)))
           and ($6::uuid is null or ($3 is null and id < $6)
                or ($3 is not null and $1 is null and (state, id) < ($3, $6))
                or ($3 is not null and $1 is not null and (assignee, state, id) < ($1, $3, $6)))
         order by id
         limit $5) as next

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
   and ($6::uuid is null or id < $6)
 order by id
 limit $5

-- name: search_dead_letters
-- As search_instances. An index leads to the open ones.
select id, partition, kind, subject_id, instance_id, reason, attempts, payload, created_utc, last_attempt_utc, replayed_utc, applied
  from (select *
          from dead_letters
         where ($1 or replayed_utc is null)
           and ($4::uuid is null or id > $4)
           and ($6::uuid is null or id < $6)
         order by id
         limit $7) as next
 where (replayed_utc is not null) = $1
   and ($2::smallint is null or kind = $2)
   and ($3::uuid is null or instance_id = $3)
 order by id
 limit $5

-- name: count_dead_letters
-- As search_dead_letters.
select count(*) filter (where (replayed_utc is not null) = $1
                          and ($2::smallint is null or kind = $2)
                          and ($3::uuid is null or instance_id = $3))::integer,
       count(*)::integer,
       (array_agg(id order by id))[count(*)::integer]
  from (select id, kind, instance_id, replayed_utc
          from dead_letters
         where ($1 or replayed_utc is null)
           and ($4::uuid is null or id > $4)
           and ($6::uuid is null or id < $6)
         order by id
         limit $5) as next

-- name: read_events
-- The pages that hold so many events after the position; what is before the first of them was trimmed.
select first_sequence, events
  from (select *, min(first_sequence) over () as earliest
          from (select * from event_pages where stream = $1 and last_sequence > $2 order by last_sequence limit $3) as next_pages) as pages
 where first_sequence < $3 + greatest($2 + 1, earliest)
 order by first_sequence
