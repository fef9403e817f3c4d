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
