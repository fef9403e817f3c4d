-- name: take_lane
-- The lease is held still while the epoch is raised: a claim that came between would be fenced by its predecessor.
-- -20004: the lane is leased to another node, or to none.
declare
    v_owner leases.owner_id%type;
    v_count lanes.lane_count%type;
begin
    if :p_node is not null then
        begin
            select owner_id into v_owner from leases where lane = :p_lane and owner_id = :p_node for update;
        exception
            when no_data_found then
                raise_application_error(-20004, 'lane ' || :p_lane || ' is not leased to this node');
        end;
    end if;
    begin
        insert into lanes (lane, epoch) values (:p_lane, 0);
    exception
        when dup_val_on_index then
            null; -- It has its row already.
    end;
    update lanes
       set epoch = epoch + 1
     where lane = :p_lane
    returning epoch, last_batch, last_sequence, published_sequence, dormant, dormant_tasks, lane_count
      into :p_epoch, :p_last_batch, :p_last_sequence, :p_published_sequence, :p_dormant, :p_dormant_tasks, v_count;
    select nvl(max(inbox_position), 0) into :p_last_message from pending;
    select max(last_position) into :p_last_position from lanes;
    commit write immediate wait;

    -- The lane is taken: nobody else changes what is counted.
    select count(*) into :p_residents from instances where mod(partition_no, :p_lane_count) = :p_lane;
    if v_count is null or v_count <> :p_lane_count then
        select count(*) into :p_dormant from dormant_instances where mod(partition_no, :p_lane_count) = :p_lane;
        select count(*)
          into :p_dormant_tasks
          from tasks t
          join dormant_instances d on d.id = t.instance_id
         where t.state = 0 and mod(t.partition_no, :p_lane_count) = :p_lane;
    end if;
exception
    when others then
        rollback;
        raise;
end;

-- name: load_instances
select id, partition_no, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from instances
 where partition_no in (
        select j.partition_no from json_table(:p_partitions, '$[*]' error on error columns (partition_no number(5) path '$')) j)

-- name: load_pending
select id, partition_no, kind, position_no, body
  from pending where mod(partition_no, :p_lane_count) = :p_lane order by position_no

-- name: load_dead_letters
select id, partition_no, kind, subject_id, instance_id, reason, attempts, payload, created_utc, last_attempt_utc, replayed_utc, applied
  from dead_letters where open_id is not null and mod(partition_no, :p_lane_count) = :p_lane order by id
