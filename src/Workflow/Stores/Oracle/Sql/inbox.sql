-- name: put_messages
-- Keys in order, so that two nodes that put the same ones do not wait for each other; of one key in several messages the first counts.
declare
    v_doc  clob := :p_messages;
    v_form constant varchar2(40) := 'YYYY-MM-DD"T"HH24:MI:SS.FF';
begin
    for m in (
        select j.ordinal, hextoraw(j.id) as id, j.partition_no, j.kind, j.position_no, j.body, j.request_key, j.request_hash,
               hextoraw(j.result_id) as result_id, to_timestamp(j.created_utc, v_form) as created_utc
          from json_table(v_doc, '$[*]' error on error columns (
                   ordinal      for ordinality,
                   id           varchar2(32)       path '$.id',
                   partition_no number(5)          path '$.partition',
                   kind         number(5)          path '$.kind',
                   position_no  number(19)         path '$.position',
                   body         clob               path '$.body',
                   request_key  varchar2(512 char) path '$.key',
                   request_hash varchar2(128 char) path '$.requestHash',
                   result_id    varchar2(32)       path '$.resultId',
                   created_utc  varchar2(32)       path '$.createdUtc')) j
         order by j.request_key nulls last, j.ordinal)
    loop
        begin
            if m.request_key is not null then
                insert into idempotency_keys (request_key, request_hash, result_id, created_utc)
                values (m.request_key, m.request_hash, m.result_id, m.created_utc);
            end if;
        exception
            when dup_val_on_index then
                continue; -- The key is taken: its row says by what.
        end;
        insert into pending (id, partition_no, kind, position_no, body)
        values (m.id, m.partition_no, m.kind, m.position_no, m.body);
    end loop;
    commit write immediate wait;
exception
    when others then
        rollback;
        raise;
end;

-- name: find_keys
select k.request_key, k.request_hash, k.result_id, k.created_utc
  from idempotency_keys k
 where k.request_key in (
        select /*+ cardinality(j 10) */ j.request_key
          from json_table(:p_keys, '$[*]' error on error columns (request_key varchar2(512 char) path '$')) j)

-- name: read_inbox
-- Only messages have an inbox_position, and an index of it.
select m.id, m.partition_no, m.kind, m.position_no, m.body
  from pending m
 where m.inbox_position is not null
   and mod(m.partition_no, :p_lane_count) in (
        select j.lane from json_table(:p_lanes, '$[*]' error on error columns (lane number(10) path '$')) j)
 order by m.inbox_position
 fetch first :p_limit rows only

-- name: read_replies
select r.message_id, r.body, r.created_utc
  from replies r
 where r.message_id in (
        select /*+ cardinality(j 10) */ hextoraw(j.id)
          from json_table(:p_messages, '$[*]' error on error columns (id varchar2(32) path '$')) j)

-- name: remove_replies
begin
    delete from replies
     where message_id in (
            select /*+ cardinality(j 10) */ hextoraw(j.id)
              from json_table(:p_messages, '$[*]' error on error columns (id varchar2(32) path '$')) j);
    commit;
exception
    when others then
        rollback;
        raise;
end;
