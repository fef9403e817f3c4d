-- name: find_instance
select id, partition_no, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from instances where id = :p_id
union all
select id, partition_no, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from dormant_instances where id = :p_id
union all
select id, partition_no, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from finished_instances where id = :p_id

-- name: list_instances
-- A line of a filter that is not asked for is left out. Each table is read in order of its key or of an index, and no further than a page.
select id, partition_no, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from (select *
          from (
                select id, partition_no, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
                  from instances
                 where 1 = 1
                   and definition = :p_definition
                   and substr(definition, 1, length(:p_definition_prefix)) = :p_definition_prefix
                   and state = :p_state and :p_state <= 2
                   and correlation_key = :p_correlation_key
                   and substr(correlation_key, 1, length(:p_key_prefix)) = :p_key_prefix
                   and id > :p_after
                   and id < :p_before
                 order by id
                 fetch first :p_limit rows only)
        union all
        select *
          from (
                select id, partition_no, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
                  from dormant_instances
                 where 1 = 1
                   and definition = :p_definition
                   and substr(definition, 1, length(:p_definition_prefix)) = :p_definition_prefix
                   and state = :p_state and :p_state <= 2
                   and correlation_key = :p_correlation_key
                   and substr(correlation_key, 1, length(:p_key_prefix)) = :p_key_prefix
                   and id > :p_after
                   and id < :p_before
                 order by id
                 fetch first :p_limit rows only)
        union all
        select *
          from (
                select id, partition_no, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
                  from finished_instances
                 where 1 = 1
                   and definition = :p_definition
                   and substr(definition, 1, length(:p_definition_prefix)) = :p_definition_prefix
                   and state = :p_state and :p_state >= 3
                   and correlation_key = :p_correlation_key
                   and substr(correlation_key, 1, length(:p_key_prefix)) = :p_key_prefix
                   and id > :p_after
                   and id < :p_before
                 order by id
                 fetch first :p_limit rows only))
 order by id
 fetch first :p_limit rows only

-- name: count_instances
-- As list_instances, but reads the first rows whether they match or not: of the table that can have the state, and of the state where an index leads
-- to it. How many of them match, how many there are, and the lowest and the highest id.
select count(case when 1 = 1
               and definition = :p_definition
               and substr(definition, 1, length(:p_definition_prefix)) = :p_definition_prefix
               and state = :p_state
               and correlation_key = :p_correlation_key
               and substr(correlation_key, 1, length(:p_key_prefix)) = :p_key_prefix
             then 1 end), count(*), min(id), max(id)
  from (select *
          from (
                select id, definition, state, correlation_key
                  from instances
                 where 1 = 1
                   and :p_state <= 2
                   and id > :p_after
                   and id < :p_before
                 order by id
                 fetch first :p_limit rows only)
        union all
        select *
          from (
                select id, definition, state, correlation_key
                  from dormant_instances
                 where 1 = 1
                   and :p_state <= 2
                   and id > :p_after
                   and id < :p_before
                 order by id
                 fetch first :p_limit rows only)
        union all
        select *
          from (
                select id, definition, state, correlation_key
                  from finished_instances
                 where 1 = 1
                   and state = :p_state and :p_state >= 3
                   and id > :p_after
                   and id < :p_before
                 order by id
                 fetch first :p_limit rows only)
         order by id
         fetch first :p_limit rows only)

-- name: find_history
select history, null from instances where id = :p_id
union all
select history, null from dormant_instances where id = :p_id
union all
select history, null from finished_instances where id = :p_id
union all
select lines, revision from instance_history where instance_id = :p_id
 order by 2 nulls first

-- name: find_children
select child_id from children where parent_id = :p_parent_id order by child_id fetch first :p_limit rows only

-- name: find_task
select id, partition_no, instance_id, definition, definition_version, correlation_key, step_name, state, assignee, group_names, output,
       created_utc, updated_utc, due_utc
  from tasks where id = :p_id

-- name: list_tasks
-- As list_instances.
select id, partition_no, instance_id, definition, definition_version, correlation_key, step_name, state, assignee, group_names, output,
       created_utc, updated_utc, due_utc
  from tasks t
 where 1 = 1
   and assignee = :p_assignee
   and id in (select g.task_id from task_groups g where g.group_name = :p_group_name)
   and state = :p_state
   and id > :p_after
   and id < :p_before
 order by id
 fetch first :p_limit rows only

-- name: count_tasks
-- As count_instances. An index leads to the tasks of a state.
select count(case when 1 = 1
               and assignee = :p_assignee
               and exists (select null from task_groups g where g.group_name = :p_group_name and g.task_id = id)
             then 1 end), count(*), min(id), max(id)
  from (select id, assignee
          from tasks
         where 1 = 1
           and state = :p_state
           and id > :p_after
           and id < :p_before
         order by id
         fetch first :p_limit rows only)

-- name: find_dead_letter
select id, partition_no, kind, subject_id, instance_id, reason, attempts, payload, created_utc, last_attempt_utc, replayed_utc, applied
  from dead_letters where id = :p_id

-- name: list_dead_letters
-- As list_instances.
select id, partition_no, kind, subject_id, instance_id, reason, attempts, payload, created_utc, last_attempt_utc, replayed_utc, applied
  from dead_letters
 where nvl2(replayed_utc, 1, 0) = :p_replayed
   and kind = :p_kind
   and instance_id = :p_instance_id
   and id > :p_after
   and id < :p_before
 order by id
 fetch first :p_limit rows only

-- name: count_dead_letters
-- As count_instances.
select count(case when nvl2(replayed_utc, 1, 0) = :p_replayed
               and kind = :p_kind
               and instance_id = :p_instance_id
             then 1 end), count(*), min(id), max(id)
  from (select id, kind, instance_id, replayed_utc
          from dead_letters
         where 1 = 1
           and id > :p_after
           and id < :p_before
         order by id
         fetch first :p_limit rows only)

-- name: read_events
select stream_no, sequence_no, event_type, definition, body, created_utc
  from events where stream_no = :p_stream and sequence_no > :p_after order by sequence_no fetch first :p_limit rows only
