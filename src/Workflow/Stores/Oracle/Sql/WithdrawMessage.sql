begin
    delete from messages where id = :p_id;
    :p_withdrawn := sql%rowcount;
    commit write immediate wait;
exception
    when others then
        rollback;
        raise;
end;
