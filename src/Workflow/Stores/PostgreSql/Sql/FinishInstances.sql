with over as (
    select *
      from unnest($1::uuid[], $2::smallint[], $3::text[], $4::integer[], $5::bigint[], $6::smallint[], $7::text[], $8::text[], $9::text[],
                  $10::timestamptz[], $11::timestamptz[])
           as o (id, partition, definition, definition_version, revision, state, correlation_key, body, history, created_utc, updated_utc)),
gone as (
    delete from instances i using over o where i.id = o.id and i.revision = o.revision - 1 returning i.id, i.history),
kept as (
    insert into finished_instances
           (id, partition, definition, definition_version, revision, state, correlation_key, body, history, created_utc, updated_utc)
    select o.id, o.partition, o.definition, o.definition_version, o.revision, o.state, o.correlation_key, o.body, g.history || o.history,
           o.created_utc, o.updated_utc
      from over o join gone g on g.id = o.id
    returning 1)
select expect_rows((select count(*) from kept), cardinality($1), 'finished instances')
