-- Rows are found by an index and removed by their place: whatever the planner knows of a table, no portion reads more than itself.

-- name: trim_events
-- The first pages of each stream after those removed before ($2, by lane), up to the first that stays: no scan passes what is gone, or reads what
-- stays. What another node is removing is left to it.
with old as (
    select e.place
      from lane_ends l
      left join lateral (
         select last_sequence
           from (select last_sequence, created_utc from event_pages
                  where stream = l.lane and last_sequence > $2[l.lane + 1] order by last_sequence limit $1) as first
          where created_utc >= $3 order by last_sequence limit 1) as staying on true
     cross join lateral (
         select ctid as place from event_pages
          where stream = l.lane and last_sequence > $2[l.lane + 1]
            and last_sequence <= least(l.published_sequence, staying.last_sequence - 1)
          order by last_sequence limit $1) as e
     limit $1),
locked as (select ctid as place from event_pages where ctid = any (array(select place from old)) for update skip locked),
gone as (delete from event_pages where ctid = any (array(select place from locked)) returning stream, last_sequence)
select stream, count(*), max(last_sequence) from gone group by stream

-- name: trim_batches
-- As trim_events. The last one of each lane stays: the next one goes on from it.
with old as (
    select b.place
      from lane_ends l
     cross join lateral (
         select ctid as place from batches where lane = l.lane and number > $2[l.lane + 1] and number < l.number order by number limit $1) as b
     limit $1),
locked as (select ctid as place from batches where ctid = any (array(select place from old)) for update skip locked),
gone as (delete from batches where ctid = any (array(select place from locked)) returning lane, number)
select lane, count(*), max(number) from gone group by lane

-- name: trim_keys
-- Looks at some pages, and says whether they were the last ones.
with old as (
    select ctid as place from idempotency_keys
     where ctid >= format('(%s,0)', $3::bigint)::tid and ctid < format('(%s,0)', $3::bigint + $4::bigint)::tid and created_utc < $2
     limit $1 for update skip locked),
gone as (delete from idempotency_keys where ctid = any (array(select place from old)) returning 1)
select (select count(*) from gone),
       $3::bigint + $4::bigint >= pg_relation_size('idempotency_keys') / current_setting('block_size')::bigint

-- name: trim_replies
with old as (select ctid as place from replies where created_utc < clock_timestamp() - interval '10 minutes' limit $1 for update skip locked),
gone as (delete from replies where ctid = any (array(select place from old)) returning 1)
select count(*) from gone

-- name: trim_dead_letters
with old as (select ctid as place from dead_letters where replayed_utc < $2 order by id limit $1 for update skip locked),
gone as (delete from dead_letters where ctid = any (array(select place from old)) returning 1)
select count(*) from gone

-- name: trim_tasks
-- $3 is the lowest id of the instant: tasks and instances after it are newer, so that what is to be removed comes first.
with old as (
    select t.ctid as place from tasks t join finished_instances f on f.id = t.instance_id
     where t.id < $3 and f.updated_utc < $2 order by t.id limit $1 for update of t skip locked),
gone as (delete from tasks where ctid = any (array(select place from old)) returning 1)
select count(*) from gone

-- name: trim_children
with old as (
    select c.ctid as place from children c join finished_instances f on f.id = c.parent_id
     where c.parent_id < $3 and f.updated_utc < $2 order by c.parent_id, c.child_id limit $1 for update of c skip locked),
gone as (delete from children where ctid = any (array(select place from old)) returning 1)
select count(*) from gone

-- name: trim_history
-- Of the instances that trim_finished removes next, so that what lives on is not looked at.
with over as (select id from finished_instances where id < $3 and updated_utc < $2 order by id limit $1),
old as (
    select h.ctid as place from over join instance_history h on h.instance_id = over.id limit $1 for update of h skip locked),
gone as (delete from instance_history where ctid = any (array(select place from old)) returning 1)
select count(*) from gone

-- name: trim_finished
-- Up to its eighth commit an instance has no history beside its row.
with old as (
    select ctid as place from finished_instances f
     where id < $3 and updated_utc < $2 and (revision <= 8 or not exists (select from instance_history h where h.instance_id = f.id))
     order by id limit $1 for update skip locked),
gone as (delete from finished_instances where ctid = any (array(select place from old)) returning 1)
select count(*) from gone

-- name: summarize_finished
-- The ranges of 8 pages that are full, from the one given on; those after them may still be filled by transactions in flight. A range that has
-- its filter costs a look. Returns the next range that is not full.
with ranges as (
    select least($1 + $2::bigint, pg_relation_size('finished_instances') / current_setting('block_size')::bigint / 8 - 4) as until)
select greatest(0, until), (select sum(brin_summarize_range('finished_by_key', 8 * r)) from generate_series($1, until - 1) r)
  from ranges
