select id, partition_no, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from (select id, partition_no, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
          from instances
        union all
        select id, partition_no, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
          from finished_instances)
 where (:p_definition is null or definition = :p_definition)
   and (:p_state is null or state = :p_state)
   and (:p_correlation_key is null or correlation_key = :p_correlation_key)
   and (:p_after is null or id > :p_after)
 order by id
 fetch first :p_limit rows only
