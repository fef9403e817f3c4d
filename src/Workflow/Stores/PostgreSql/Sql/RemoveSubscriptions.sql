with gone as (delete from subscriptions where wait_id = any ($1) returning 1)
select expect_rows((select count(*) from gone), cardinality($1), 'removed subscriptions')
