-- name: trim_events
delete from events e using lanes l where l.lane = e.stream and e.sequence <= l.published_sequence and e.created_utc < $1

-- name: trim_keys
delete from idempotency_keys where created_utc < $1

-- name: trim_replies
delete from replies where created_utc < clock_timestamp() - interval '10 minutes'

-- name: trim_dead_letters
delete from dead_letters where replayed_utc < $1
