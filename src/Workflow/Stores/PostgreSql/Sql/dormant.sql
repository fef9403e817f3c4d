-- Planned once for good, while the tables are small: each of these is served by an index, whatever the planner knows of them. What an array or
-- an `offset 0` has found is not joined in another way.

-- name: find_dormant
-- The tasks are found by their ids, and not among all that are open.
select id, partition, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from dormant_instances
 where id = any (array(
           select unnest($1::uuid[])
           union
           select instance_id from (select instance_id, state from tasks where id = any ($2::uuid[]) offset 0) as named where state = 0
           union
           select instance_id from dormant_waits where slot = any ($3::bigint[])))
   and partition % $4 = $5

-- name: read_due
select id, partition, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc, next_due_utc
  from (select *
          from dormant_instances
         where id = any (array(
                   select id
                     from dormant_instances
                    where (next_due_utc, id) > ($1, $2) and next_due_utc <= $3 and partition % $4 = $5
                    order by next_due_utc, id
                    limit $6))
        offset 0) as due
 order by next_due_utc, id

-- name: read_slots
select slot from dormant_waits where slot between $1 and $2 order by slot limit $3
