-- What the collector reads, and what it waits for before it reads. Whole rows are read as JSON where columns differ between versions.

-- name: read_start
SELECT pg_postmaster_start_time()::text

-- name: read_database
SELECT to_jsonb(d)::text FROM pg_stat_database d WHERE d.datname = $1

-- name: read_wal
SELECT to_jsonb(w)::text FROM pg_stat_wal w WHERE $1 IS NOT NULL

-- name: read_server
-- Exact at any moment, whatever sessions have reported: the log's position, and the next transaction id.
SELECT jsonb_build_object('wal_bytes', pg_current_wal_insert_lsn() - '0/0'::pg_lsn,
                          'transaction_ids', pg_snapshot_xmax(pg_current_snapshot())::text::numeric, 'stats_reset', null)::text
WHERE $1 IS NOT NULL

-- name: read_untimed
-- Settings without which the server takes no times.
SELECT name FROM unnest(ARRAY['track_io_timing', 'track_wal_io_timing']) AS name WHERE current_setting(name, true) IS DISTINCT FROM 'on'

-- name: read_tables
SELECT coalesce(sum(n_tup_upd), 0)::float8, coalesce(sum(n_tup_hot_upd), 0)::float8 FROM pg_stat_user_tables

-- name: read_statements
SELECT coalesce(queryid::text, 'hidden') || ' ' || userid || ' ' || toplevel, coalesce(left(regexp_replace(query, '\s+', ' ', 'g'), 200), 'text not kept'),
       calls::float8, total_exec_time, rows::float8, (shared_blks_hit + shared_blks_read)::float8, wal_bytes::float8
FROM pg_stat_statements
WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND toplevel
  AND coalesce(query, '') NOT LIKE '%pg_stat_%' -- the collector's own

-- name: read_sessions
SELECT state, state_change, clock_timestamp()
FROM pg_stat_activity
WHERE datname = $1 AND pid <> pg_backend_pid() AND (backend_type = 'client backend' OR query = '<insufficient privilege>')

-- name: find_session
SELECT 1 FROM pg_stat_activity WHERE pid = $1::int

-- name: count_sessions
SELECT count(*) FROM pg_stat_activity WHERE datname = $1

-- name: sample_waits
-- ClientRead of an active session is a client that has sent half of its batch; it is listed under the server's name.
SELECT CASE WHEN query = '<insufficient privilege>' THEN 'hidden'
            WHEN wait_event IS NULL THEN 'CPU' ELSE wait_event_type || ':' || wait_event END, count(*)
FROM pg_stat_activity
WHERE datname = $1 AND pid <> pg_backend_pid() AND (state = 'active' OR query = '<insufficient privilege>')
GROUP BY 1
