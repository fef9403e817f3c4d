-- name: take_lane
insert into lanes (lane, epoch) values ($1, 1)
on conflict (lane) do update set epoch = lanes.epoch + 1
returning epoch

-- name: take_leased_lane
with mine as (
    update leases
       set session = pg_backend_pid(), session_start = (select backend_start from pg_stat_activity where pid = pg_backend_pid())
     where lane = $1 and owner = $2
    returning lane)
update lanes l set epoch = l.epoch + 1 from mine where l.lane = mine.lane
returning l.epoch

-- name: begin_batches
-- The first batch of a lane follows this one.
insert into batches (lane, number, last_sequence, published_sequence, lanes)
select $1, 0, 0, 0, null where not exists (select from batches where lane = $1)
on conflict do nothing

-- name: read_lane_end
-- After the lane is taken: the flush that this has waited for would not be seen in the same statement.
select number, last_sequence, published_sequence, (select coalesce(max(position), 0) from pending where kind = 2),
       (select max(last_position) from lane_ends), dormant, dormant_tasks, lanes
  from lane_ends where lane = $1

-- name: count_dormant
-- After the number of lanes has changed. A task that is open belongs to the partition of its instance.
select (select count(*) from dormant_instances where partition % $1 = $2),
       (select count(*) from tasks t join dormant_instances d on d.id = t.instance_id where t.state = 0 and t.partition % $1 = $2)

-- name: count_instances
select count(*) from instances where partition % $1 = $2

-- name: load_instances
select id, partition, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from instances where partition = any($1)

-- name: load_pending
select id, partition, kind, position, body
  from pending where partition % $1 = $2 order by position

-- name: load_dead_letters
select id, partition, kind, subject_id, instance_id, reason, attempts, payload, created_utc, last_attempt_utc, replayed_utc, applied
  from dead_letters where replayed_utc is null and partition % $1 = $2 order by id

-- name: pin_plans
-- Plans of prepared statements are made while the tables are still empty, and an empty table is scanned. Every statement of a flush looks rows up by
-- the keys it is given and joins what it found with what it was given: made generic at once, kept from scanning, and from the joins that read a whole
-- table in the order of its keys (merge) or compare every row with every other (nested loop), it costs the same when a million instances are live.
-- Compiling a plan to machine code would take longer than a flush.
set plan_cache_mode = force_generic_plan;
set enable_seqscan = off;
set enable_mergejoin = off;
set enable_nestloop = off;
set jit = off
