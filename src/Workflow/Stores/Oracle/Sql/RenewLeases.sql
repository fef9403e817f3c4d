-- Need not be durable: a renewal that is lost is one that came late.
declare
    v_until timestamp(7) := sys_extract_utc(systimestamp) + numtodsinterval(:p_lease_ms / 1000, 'SECOND');
begin
    update nodes set live_utc = v_until where id = :p_node and active = 1;
    if sql%rowcount = 1 then
        update leases set held_utc = v_until where owner_id = :p_node;
    end if;
    commit write batch nowait;
exception
    when others then
        rollback;
        raise;
end;
