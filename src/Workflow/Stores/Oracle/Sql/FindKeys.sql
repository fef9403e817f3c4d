select k.request_key, k.request_hash, k.result_id, k.created_utc
  from idempotency_keys k
 where k.request_key in (
        select /*+ cardinality(j 10) */ j.request_key
          from json_table(:p_keys, '$[*]' error on error columns (request_key varchar2(512 char) path '$')) j)
