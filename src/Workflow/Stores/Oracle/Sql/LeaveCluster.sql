begin
    update leases set owner_id = null, held_utc = null where owner_id = :p_node;
    update nodes set active = 0, live_utc = sys_extract_utc(systimestamp) where id = :p_node;
    commit;
exception
    when others then
        rollback;
        raise;
end;
