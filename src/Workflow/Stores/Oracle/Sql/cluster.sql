-- name: join_cluster
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
        -- What is dormant in each lane is counted anew.
        update lanes set epoch = epoch + 1, lane_count = null;
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

-- name: renew_leases
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

-- name: view_cluster
-- One statement, so one instant: lanes (entry 0) and nodes (entry 1). Times are milliseconds left.
with clock as (
    select sys_extract_utc(systimestamp) as now_utc from dual)
select 0 as entry, l.lane, s.owner_id, cast(null as varchar2(512 char)) as node_name, cast(null as timestamp(7)) as started_utc,
       extract(day from (s.held_utc - c.now_utc)) * 86400000 + extract(hour from (s.held_utc - c.now_utc)) * 3600000
         + extract(minute from (s.held_utc - c.now_utc)) * 60000 + round(extract(second from (s.held_utc - c.now_utc)) * 1000) as left_ms,
       l.last_sequence, 0 as live, t.lane_count, (select coalesce(max(definition_no), 0) from definitions) as last_definition
  from lanes l cross join cluster_state t cross join clock c left join leases s on s.lane = l.lane
union all
select 1, 0, n.id, n.node_name, n.started_utc, 0, 0, case when n.active = 1 and n.live_utc > c.now_utc then 1 else 0 end, t.lane_count, 0
  from nodes n cross join cluster_state t cross join clock c
 where n.live_utc > c.now_utc - interval '1' minute
 order by 1, 2, 5

-- name: claim_lanes
-- What another transaction is at, a renewal or a flush that has not ended, is left for the next claim: nobody waits here.
declare
    v_lane  leases.lane%type;
    v_taken varchar2(1000);
begin
    for wanted in (
        select j.lane from json_table(:p_lanes, '$[*]' error on error columns (lane number(10) path '$')) j order by j.lane)
    loop
        begin
            select s.lane into v_lane
              from leases s join lanes l on l.lane = s.lane
             where s.lane = wanted.lane and (s.owner_id is null or s.held_utc <= sys_extract_utc(systimestamp))
               and exists (select 1 from nodes n where n.id = :p_node and n.active = 1)
               for update of s.lane, l.lane skip locked;
        exception
            when no_data_found then
                continue;
        end;
        update leases
           set owner_id = :p_node, held_utc = sys_extract_utc(systimestamp) + numtodsinterval(:p_lease_ms / 1000, 'SECOND')
         where lane = v_lane;
        update lanes set epoch = epoch + 1 where lane = v_lane;
        v_taken := v_taken || ',' || v_lane;
    end loop;
    commit write immediate wait;
    :p_taken := v_taken;
exception
    when others then
        rollback;
        raise;
end;

-- name: release_lanes
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

-- name: leave_cluster
begin
    update leases set owner_id = null, held_utc = null where owner_id = :p_node;
    update nodes set active = 0, live_utc = sys_extract_utc(systimestamp) where id = :p_node;
    commit;
exception
    when others then
        rollback;
        raise;
end;

-- name: count_lanes
select coalesce(max(lane) + 1, 0) from lanes

-- name: read_stream_ends
select lane, last_sequence from lanes
