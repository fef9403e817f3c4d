insert into tasks (id, partition, instance_id, definition, definition_version, correlation_key, step, state, assignee, groups, output, created_utc,
                   updated_utc, due_utc)
select id, partition, instance_id, definition, definition_version, correlation_key, step, state, assignee,
       array(select json_array_elements_text(groups::json)), output, created_utc, updated_utc, due_utc
  from unnest($1::uuid[], $2::smallint[], $3::uuid[], $4::text[], $5::integer[], $6::text[], $7::text[], $8::smallint[], $9::text[], $10::text[],
              $11::text[], $12::timestamptz[], $13::timestamptz[], $14::timestamptz[])
       as t (id, partition, instance_id, definition, definition_version, correlation_key, step, state, assignee, groups, output, created_utc,
             updated_utc, due_utc)
