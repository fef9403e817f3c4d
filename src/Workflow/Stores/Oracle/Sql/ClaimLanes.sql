-- Lanes are locked in order of their numbers, so that two nodes that claim the same ones do not wait for each other.
declare
    v_now   timestamp(7);
    v_taken varchar2(1000);
begin
    for wanted in (
        select j.lane from json_table(:p_lanes, '$[*]' error on error columns (lane number(10) path '$')) j order by j.lane)
    loop
        v_now := sys_extract_utc(systimestamp);
        update leases
           set owner_id = :p_node, held_utc = v_now + numtodsinterval(:p_lease_ms / 1000, 'SECOND')
         where lane = wanted.lane and (owner_id is null or held_utc <= v_now)
           and exists (select 1 from nodes n where n.id = :p_node and n.active = 1);
        if sql%rowcount = 1 then
            update lanes set epoch = epoch + 1 where lane = wanted.lane;
            v_taken := v_taken || ',' || wanted.lane;
        end if;
    end loop;
    commit write immediate wait;
    :p_taken := v_taken;
exception
    when others then
        rollback;
        raise;
end;
