-- The one row of cluster_state is the lock under which nodes join. p_current is not null when other live nodes work with another number
-- of lanes.
declare
    v_now     timestamp(7) := sys_extract_utc(systimestamp);
    v_current cluster_state.lane_count%type;
    v_names   varchar2(4000);
begin
    select lane_count into v_current from cluster_state where id = 1 for update;
    delete from nodes where live_utc < v_now - interval '1' minute or id = :p_node;
    if v_current <> :p_lanes then
        select listagg(node_name, ', ' on overflow truncate) within group (order by started_utc)
          into v_names
          from nodes
         where active = 1 and live_utc > v_now and id <> :p_node;
        if v_names is not null then
            rollback;
            :p_current := v_current;
            :p_names := substr(v_names, 1, 1000);
            return;
        end if;
        update cluster_state set lane_count = :p_lanes where id = 1;
        update leases set owner_id = null, held_utc = null;
        update lanes set epoch = epoch + 1;
    end if;
    insert into lanes (lane, epoch)
    select n.lane, 0
      from (select level - 1 as lane from dual connect by level <= :p_lanes) n
     where not exists (select 1 from lanes l where l.lane = n.lane);
    insert into leases (lane)
    select l.lane from lanes l where not exists (select 1 from leases s where s.lane = l.lane);
    insert into nodes (id, node_name, started_utc, live_utc, active)
    values (:p_node, :p_name, v_now, v_now + numtodsinterval(:p_lease_ms / 1000, 'SECOND'), 1);
    commit write immediate wait;
    :p_current := null;
    :p_names := null;
exception
    when others then
        rollback;
        raise;
end;
