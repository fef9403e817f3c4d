select r.message_id, r.body, r.created_utc
  from replies r
 where r.message_id in (
        select /*+ cardinality(j 10) */ hextoraw(j.id)
          from json_table(:p_messages, '$[*]' error on error columns (id varchar2(32) path '$')) j)
