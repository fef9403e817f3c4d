select id, partition, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from (select * from instances union all select * from finished_instances) as every
 where ($1::text is null or definition = $1)
   and ($2::smallint is null or state = $2)
   and ($3::text is null or correlation_key = $3)
   and ($4::uuid is null or id > $4)
 order by id
 limit $5
