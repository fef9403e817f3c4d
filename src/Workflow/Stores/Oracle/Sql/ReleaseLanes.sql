begin
    update leases
       set owner_id = null, held_utc = null
     where owner_id = :p_node
       and lane in (select j.lane from json_table(:p_lanes, '$[*]' error on error columns (lane number(10) path '$')) j);
    commit;
exception
    when others then
        rollback;
        raise;
end;
