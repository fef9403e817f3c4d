-- name: add_definition
-- An insert of the same version by another session is waited for; what is stored then is read next.
begin
    insert into definitions (name, version, content_hash, body, registered_utc)
    values (:p_name, :p_version, :p_content_hash, :p_body, to_timestamp(:p_registered_utc, 'YYYY-MM-DD"T"HH24:MI:SS.FF'));
    commit write immediate wait;
exception
    when dup_val_on_index then
        rollback;
end;

-- name: find_definition
select name, version, content_hash, body, registered_utc from definitions where name = :p_name and version = :p_version

-- name: load_definitions
select name, version, content_hash, body, registered_utc from definitions order by name, version
