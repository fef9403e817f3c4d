-- Keys in order, so that two nodes that put the same ones do not wait for each other; of one key in several messages the first counts.
declare
    v_doc  clob := :p_messages;
    v_form constant varchar2(40) := 'YYYY-MM-DD"T"HH24:MI:SS.FF';
begin
    for m in (
        select j.ordinal, hextoraw(j.id) as id, j.partition_no, j.kind, j.body, j.position_no, j.request_key, j.request_hash,
               hextoraw(j.result_id) as result_id, to_timestamp(j.created_utc, v_form) as created_utc
          from json_table(v_doc, '$[*]' error on error columns (
                   ordinal      for ordinality,
                   id           varchar2(32)       path '$.id',
                   partition_no number(5)          path '$.partition',
                   kind         varchar2(64 char)  path '$.kind',
                   body         clob               path '$.body',
                   position_no  number(19)         path '$.position',
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
                continue; -- The key is taken: its row tells by what.
        end;
        insert into messages (id, partition_no, kind, body, position_no)
        values (m.id, m.partition_no, m.kind, m.body, m.position_no);
    end loop;
    commit write immediate wait;
exception
    when others then
        rollback;
        raise;
end;
