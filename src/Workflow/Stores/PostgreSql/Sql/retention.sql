-- name: trim_events
delete from events e using lanes l where l.lane = e.stream and e.sequence <= l.published_sequence and e.created_utc < $1

-- name: trim_keys
delete from idempotency_keys where created_utc < $1

-- name: trim_replies
delete from replies where created_utc < clock_timestamp() - interval '10 minutes'

-- name: trim_dead_letters
delete from dead_letters where replayed_utc < $1

-- name: summarize_finished
-- The ranges of 8 pages that are full, from the one given on; those after them may still be filled by transactions in flight. A range that has
-- its filter costs a look. Returns the next range that is not full.
with ranges as (
    select least($1 + $2::bigint, pg_relation_size('finished_instances') / current_setting('block_size')::bigint / 8 - 4) as until)
select greatest(0, until), (select sum(brin_summarize_range('finished_by_key', 8 * r)) from generate_series($1, until - 1) r)
  from ranges
