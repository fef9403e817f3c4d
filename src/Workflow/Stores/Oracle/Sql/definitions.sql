-- name: add_definition
-- Whoever adds one has the row of cluster_state until its commit: no number can be seen before those below it. Of a version that is there
-- already, what is stored is read next.
declare
    v_lanes  cluster_state.lane_count%type;
    v_number definitions.definition_no%type;
begin
    select lane_count into v_lanes from cluster_state where id = 1 for update;
    select coalesce(max(definition_no), 0) + 1 into v_number from definitions;
    insert into definitions (name, version, content_hash, body, registered_utc, definition_no)
    values (:p_name, :p_version, :p_content_hash, :p_body, to_timestamp(:p_registered_utc, 'YYYY-MM-DD"T"HH24:MI:SS.FF'), v_number);
    commit write immediate wait;
exception
    when dup_val_on_index then
        rollback;
    when others then
        rollback;
        raise;
end;

-- name: find_definition
select name, version, content_hash, body, registered_utc, definition_no from definitions where name = :p_name and version = :p_version

-- name: load_definitions
select name, version, content_hash, body, registered_utc, definition_no from definitions where definition_no > :p_after order by definition_no
