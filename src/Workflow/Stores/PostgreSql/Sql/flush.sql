-- name: add_batches
-- The lock keeps whoever takes a lane waiting until this flush has ended, and leaves no version of the row behind. Lanes come in their order, so that
-- two flushes never wait for each other. A number that is there already breaks the key. $1 has nine numbers for each: one parameter instead of nine,
-- which every flush would make, send and read.
insert into batches (lane, number, last_sequence, published_sequence, last_position, dormant, dormant_tasks, lanes)
select coalesce((select l.lane from lanes l where l.lane = b.lane and l.epoch = b.epoch for no key update), refuse_batch(b.lane, b.epoch)),
       coalesce((select p.number + 1 from batches p where p.lane = b.lane and p.number = b.number - 1), refuse_batch(b.lane, b.epoch)),
       b.last_sequence, b.published_sequence, b.last_position, b.dormant, b.dormant_tasks, b.lanes
  from (select ($1::bigint[])[n + 1]::integer as lane, ($1)[n + 2] as epoch, ($1)[n + 3] as number, ($1)[n + 4] as last_sequence,
               ($1)[n + 5] as published_sequence, ($1)[n + 6] as last_position, ($1)[n + 7] as dormant, ($1)[n + 8] as dormant_tasks,
               ($1)[n + 9]::integer as lanes
          from generate_series(0, cardinality($1) - 9, 9) as n) as b

-- name: remove_pending
with gone as (delete from pending where id = any ($1) returning 1)
select expect_rows(count(*), cardinality($1), 'removed pending rows') from gone having count(*) <> cardinality($1)

-- name: remove_dormant_waits
-- Each by its whole key: a slot may have many waits.
with gone as (
    delete from dormant_waits
     where ctid = any (array(
         select d.place from unnest($1::bigint[], $2::uuid[]) as w (slot, wait_id)
          cross join lateral (select ctid as place from dormant_waits where slot = w.slot and wait_id = w.wait_id offset 0) as d))
    returning 1)
select expect_rows(count(*), cardinality($1), 'removed waits of dormant instances') from gone having count(*) <> cardinality($1)

-- name: insert_instances
insert into instances (id, partition, definition, definition_version, revision, state, correlation_key, body, history, created_utc, updated_utc)
select * from unnest($1::uuid[], $2::smallint[], $3::text[], $4::integer[], $5::bigint[], $6::smallint[], $7::text[], $8::text[], $9::text[],
                     $10::timestamptz[], $11::timestamptz[])

-- name: update_instances
-- A history that is left as it is stays where it is: only one that is appended to is written again.
with changed as (
    update instances i
       set revision = u.revision, state = u.state, body = u.body, history = case u.history when '' then i.history else i.history || u.history end,
           updated_utc = u.updated_utc
      from unnest($1::uuid[], $2::bigint[], $3::smallint[], $4::text[], $5::text[], $6::timestamptz[])
           as u (id, revision, state, body, history, updated_utc)
     where i.id = any ($1) and i.id = u.id and i.revision = u.revision - 1
    returning 1)
select expect_rows(count(*), cardinality($1), 'updated instances') from changed having count(*) <> cardinality($1)

-- name: insert_finished
insert into finished_instances
       (id, partition, definition, definition_version, revision, state, correlation_key, body, history, created_utc, updated_utc)
select * from unnest($1::uuid[], $2::smallint[], $3::text[], $4::integer[], $5::bigint[], $6::smallint[], $7::text[], $8::text[], $9::text[],
                     $10::timestamptz[], $11::timestamptz[])

-- name: finish_instances
with gone as (
    delete from instances i
     using unnest($1::uuid[], $2::smallint[], $3::text[], $4::integer[], $5::bigint[], $6::smallint[], $7::text[], $8::text[], $9::text[],
                  $10::timestamptz[], $11::timestamptz[])
           as o (id, partition, definition, definition_version, revision, state, correlation_key, body, history, created_utc, updated_utc)
     where i.id = any ($1) and i.id = o.id and i.revision = o.revision - 1
    returning o.id, o.partition, o.definition, o.definition_version, o.revision, o.state, o.correlation_key, o.body,
              i.history || o.history as history, o.created_utc, o.updated_utc),
kept as (
    insert into finished_instances
           (id, partition, definition, definition_version, revision, state, correlation_key, body, history, created_utc, updated_utc)
    select * from gone
    returning 1)
select expect_rows(count(*), cardinality($1), 'finished instances') from kept having count(*) <> cardinality($1)

-- name: retry_instances
with gone as (
    delete from finished_instances f
     using unnest($1::uuid[], $2::smallint[], $3::text[], $4::integer[], $5::bigint[], $6::smallint[], $7::text[], $8::text[], $9::text[],
                  $10::timestamptz[], $11::timestamptz[])
           as o (id, partition, definition, definition_version, revision, state, correlation_key, body, history, created_utc, updated_utc)
     where f.id = any ($1) and f.id = o.id and f.revision = o.revision - 1 and f.state = 4
    returning o.id, o.partition, o.definition, o.definition_version, o.revision, o.state, o.correlation_key, o.body,
              f.history || o.history as history, o.created_utc, o.updated_utc),
kept as (
    insert into instances (id, partition, definition, definition_version, revision, state, correlation_key, body, history, created_utc, updated_utc)
    select * from gone
    returning 1)
select expect_rows(count(*), cardinality($1), 'retried instances') from kept having count(*) <> cardinality($1)

-- name: finish_retried
with changed as (
    update finished_instances i
       set revision = u.revision, state = u.state, body = u.body, history = case u.history when '' then i.history else i.history || u.history end,
           updated_utc = u.updated_utc
      from unnest($1::uuid[], $2::bigint[], $3::smallint[], $4::text[], $5::text[], $6::timestamptz[])
           as u (id, revision, state, body, history, updated_utc)
     where i.id = any ($1) and i.id = u.id and i.revision = u.revision - 1 and i.state = 4
    returning 1)
select expect_rows(count(*), cardinality($1), 'retried and finished instances') from changed having count(*) <> cardinality($1)

-- name: wake_instances
with gone as (
    delete from dormant_instances d
     using unnest($1::uuid[], $2::smallint[], $3::text[], $4::integer[], $5::bigint[], $6::smallint[], $7::text[], $8::text[], $9::text[],
                  $10::timestamptz[], $11::timestamptz[])
           as o (id, partition, definition, definition_version, revision, state, correlation_key, body, history, created_utc, updated_utc)
     where d.id = any ($1) and d.id = o.id and d.revision = o.revision - 1
    returning o.id, o.partition, o.definition, o.definition_version, o.revision, o.state, o.correlation_key, o.body,
              d.history || o.history as history, o.created_utc, o.updated_utc),
kept as (
    insert into instances (id, partition, definition, definition_version, revision, state, correlation_key, body, history, created_utc, updated_utc)
    select * from gone
    returning 1)
select expect_rows(count(*), cardinality($1), 'dormant instances') from kept having count(*) <> cardinality($1)

-- name: finish_dormant
with gone as (
    delete from dormant_instances d
     using unnest($1::uuid[], $2::smallint[], $3::text[], $4::integer[], $5::bigint[], $6::smallint[], $7::text[], $8::text[], $9::text[],
                  $10::timestamptz[], $11::timestamptz[])
           as o (id, partition, definition, definition_version, revision, state, correlation_key, body, history, created_utc, updated_utc)
     where d.id = any ($1) and d.id = o.id and d.revision = o.revision - 1
    returning o.id, o.partition, o.definition, o.definition_version, o.revision, o.state, o.correlation_key, o.body,
              d.history || o.history as history, o.created_utc, o.updated_utc),
kept as (
    insert into finished_instances
           (id, partition, definition, definition_version, revision, state, correlation_key, body, history, created_utc, updated_utc)
    select * from gone
    returning 1)
select expect_rows(count(*), cardinality($1), 'finished dormant instances') from kept having count(*) <> cardinality($1)

-- name: make_dormant
with gone as (
    delete from instances i
     using unnest($1::uuid[], $2::bigint[], $3::timestamptz[]) as d (id, revision, next_due_utc)
     where i.id = any ($1) and i.id = d.id and i.revision = d.revision
    returning i.id, i.partition, i.definition, i.definition_version, i.revision, i.state, i.correlation_key, i.body, i.history, i.created_utc,
              i.updated_utc, d.next_due_utc),
kept as (
    insert into dormant_instances
           (id, partition, definition, definition_version, revision, state, correlation_key, body, history, created_utc, updated_utc, next_due_utc)
    select * from gone
    returning 1)
select expect_rows(count(*), cardinality($1), 'instances that become dormant') from kept having count(*) <> cardinality($1)

-- name: insert_dormant_waits
insert into dormant_waits (slot, wait_id, instance_id)
select * from unnest($1::bigint[], $2::uuid[], $3::uuid[])

-- name: insert_history
insert into instance_history (instance_id, revision, lines)
select * from unnest($1::uuid[], $2::bigint[], $3::text[])

-- name: insert_pending
insert into pending (id, partition, kind, position, body)
select * from unnest($1::uuid[], $2::smallint[], $3::smallint[], $4::bigint[], $5::text[])

-- name: insert_tasks
insert into tasks (id, partition, instance_id, definition, definition_version, correlation_key, step, state, assignee, groups, output, created_utc,
                   updated_utc, due_utc)
select id, partition, instance_id, definition, definition_version, correlation_key, step, state, assignee,
       array(select json_array_elements_text(groups::json)), output, created_utc, updated_utc, due_utc
  from unnest($1::uuid[], $2::smallint[], $3::uuid[], $4::text[], $5::integer[], $6::text[], $7::text[], $8::smallint[], $9::text[], $10::text[],
              $11::text[], $12::timestamptz[], $13::timestamptz[], $14::timestamptz[])
       as t (id, partition, instance_id, definition, definition_version, correlation_key, step, state, assignee, groups, output, created_utc,
             updated_utc, due_utc)

-- name: update_tasks
with changed as (
    update tasks t
       set state = u.state, assignee = u.assignee, output = u.output, updated_utc = u.updated_utc
      from unnest($1::uuid[], $2::smallint[], $3::text[], $4::text[], $5::timestamptz[]) as u (id, state, assignee, output, updated_utc)
     where t.id = any ($1) and t.id = u.id and t.state = 0
    returning 1)
select expect_rows(count(*), cardinality($1), 'changed tasks') from changed having count(*) <> cardinality($1)

-- name: insert_children
insert into children (parent_id, child_id)
select * from unnest($1::uuid[], $2::uuid[])

-- name: insert_replies
insert into replies (message_id, body, created_utc)
select * from unnest($1::uuid[], $2::text[], $3::timestamptz[])

-- name: insert_dead_letters
insert into dead_letters (id, partition, kind, subject_id, instance_id, reason, attempts, payload, created_utc, last_attempt_utc)
select * from unnest($1::uuid[], $2::smallint[], $3::smallint[], $4::uuid[], $5::uuid[], $6::text[], $7::integer[], $8::text[], $9::timestamptz[],
                     $10::timestamptz[])

-- name: change_dead_letters
with changed as (
    update dead_letters d
       set reason = u.reason, attempts = u.attempts, last_attempt_utc = u.last_attempt_utc, applied = u.applied,
           replayed_utc = case when u.applied is null then null else u.last_attempt_utc end
      from unnest($1::uuid[], $2::text[], $3::integer[], $4::timestamptz[], $5::boolean[]) as u (id, reason, attempts, last_attempt_utc, applied)
     where d.id = any ($1) and d.id = u.id and d.replayed_utc is null
    returning 1)
select expect_rows(count(*), cardinality($1), 'changed dead letters') from changed having count(*) <> cardinality($1)

-- name: insert_keys
-- In one order for all, so that two flushes never wait for each other.
insert into idempotency_keys (key, request_hash, result_id, created_utc)
select * from unnest($1::text[], $2::text[], $3::uuid[], $4::timestamptz[]) as k (key, request_hash, result_id, created_utc) order by key

-- name: insert_events
insert into event_pages (stream, first_sequence, last_sequence, events, created_utc)
select * from unnest($1::integer[], $2::bigint[], $3::bigint[], $4::text[], $5::timestamptz[])
