with changed as (
    update instances i
       set revision = u.revision, state = u.state, body = u.body, history = i.history || u.history, updated_utc = u.updated_utc
      from unnest($1::uuid[], $2::bigint[], $3::smallint[], $4::text[], $5::text[], $6::timestamptz[])
           as u (id, revision, state, body, history, updated_utc)
     where i.id = u.id and i.revision = u.revision - 1
    returning 1)
select expect_rows((select count(*) from changed), cardinality($1), 'updated instances')
