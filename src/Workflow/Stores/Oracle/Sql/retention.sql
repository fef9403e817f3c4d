-- name: trim
declare
    fullest number := 0;
begin
    delete from events e
     where e.created_utc < to_timestamp(:p_events_before, 'YYYY-MM-DD"T"HH24:MI:SS.FF')
       and exists (select 1 from lanes l where l.lane = e.stream_no and e.sequence_no <= l.published_sequence)
       and rownum <= :p_limit;
    fullest := sql%rowcount;
    delete from idempotency_keys where created_utc < to_timestamp(:p_keys_before, 'YYYY-MM-DD"T"HH24:MI:SS.FF') and rownum <= :p_limit;
    fullest := greatest(fullest, sql%rowcount);
    delete from dead_letters where replayed_utc < to_timestamp(:p_replayed_before, 'YYYY-MM-DD"T"HH24:MI:SS.FF') and rownum <= :p_limit;
    fullest := greatest(fullest, sql%rowcount);
    delete from replies where created_utc < sys_extract_utc(systimestamp) - interval '10' minute and rownum <= :p_limit;
    :p_fullest := greatest(fullest, sql%rowcount);
    commit;
exception
    when others then
        rollback;
        raise;
end;
