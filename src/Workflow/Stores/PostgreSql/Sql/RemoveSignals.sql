with gone as (delete from signals where id = any ($1) returning 1)
select expect_rows((select count(*) from gone), cardinality($1), 'removed signals')
