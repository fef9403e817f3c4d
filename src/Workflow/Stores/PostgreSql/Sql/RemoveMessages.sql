with gone as (delete from messages where id = any ($1) returning 1)
select expect_rows((select count(*) from gone), cardinality($1), 'removed messages')
