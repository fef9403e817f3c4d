-- name: take_lane
-- The lease is held still while the epoch is raised: a claim that came between would be fenced by its predecessor.
-- -20004: the lane is leased to another node, or to none.
declare
    v_owner leases.owner_id%type;
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
    returning epoch, last_batch, last_sequence, published_sequence
      into :p_epoch, :p_last_batch, :p_last_sequence, :p_published_sequence;
    select nvl(max(inbox_position), 0) into :p_last_message from pending;
    commit write immediate wait;
exception
    when others then
        rollback;
        raise;
end;

-- name: load_instances
select id, partition_no, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc
  from instances where mod(partition_no, :p_lane_count) = :p_lane order by id

-- name: load_pending
select id, partition_no, kind, position_no, body
  from pending where mod(partition_no, :p_lane_count) = :p_lane order by position_no

-- name: load_dead_letters
select id, partition_no, kind, subject_id, instance_id, reason, attempts, payload, created_utc, last_attempt_utc, replayed_utc, applied
  from dead_letters where open_id is not null and mod(partition_no, :p_lane_count) = :p_lane order by id
