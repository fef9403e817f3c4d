-- Plans of prepared statements are made while the tables are still empty, and an empty table is scanned. Every statement of a flush is an access
-- by primary key: made generic at once and kept from scanning, it costs the same when a million instances are live.
set plan_cache_mode = force_generic_plan;
set enable_seqscan = off
