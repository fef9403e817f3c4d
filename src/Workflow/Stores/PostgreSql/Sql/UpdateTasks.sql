with changed as (
    update tasks t
       set state = u.state, assignee = u.assignee, output = u.output, updated_utc = u.updated_utc
      from unnest($1::uuid[], $2::smallint[], $3::text[], $4::text[], $5::timestamptz[]) as u (id, state, assignee, output, updated_utc)
     where t.id = u.id and t.state = 0
    returning 1)
select expect_rows((select count(*) from changed), cardinality($1), 'changed tasks')
