-- Rows are found by an index and locked one by one as they are fetched. What another session has is left to it: nobody waits here.

-- name: trim_events
-- By key, lane for lane, up to the first young one. The index is named so that old ones come first; what is removed does not depend on it.
declare
    v_before  constant timestamp(7) := to_timestamp(:p_before, 'YYYY-MM-DD"T"HH24:MI:SS.FF');
    v_limit   constant pls_integer := :p_limit;
    v_removed pls_integer := 0;
    v_created events.created_utc%type;

    cursor c_next(p_lane number, p_published number) is
        select /*+ index_asc(e events_key) */ e.created_utc
          from events e
         where e.stream_no = p_lane and e.sequence_no <= p_published
           for update skip locked;
begin
    for owner in (select l.lane, l.published_sequence from lanes l) loop
        open c_next(owner.lane, owner.published_sequence);
        while v_removed < v_limit loop
            fetch c_next into v_created;
            exit when c_next%notfound or v_created >= v_before;
            delete from events where current of c_next;
            v_removed := v_removed + 1;
        end loop;
        close c_next;
    end loop;
    commit;
    :p_removed := v_removed;
exception
    when others then
        rollback;
        raise;
end;

-- name: trim_keys
declare
    v_before constant timestamp(7) := to_timestamp(:p_before, 'YYYY-MM-DD"T"HH24:MI:SS.FF');
    v_limit  constant pls_integer := :p_limit;
    type t_places is table of rowid index by pls_integer;
    v_places t_places;

    cursor c_old is
        select rowid from idempotency_keys where created_utc < v_before for update skip locked;
begin
    open c_old;
    fetch c_old bulk collect into v_places limit v_limit;
    forall i in 1 .. v_places.count
        delete from idempotency_keys where rowid = v_places(i);
    close c_old;
    commit;
    :p_removed := v_places.count;
exception
    when others then
        rollback;
        raise;
end;

-- name: trim_replies
declare
    v_before constant timestamp(7) := sys_extract_utc(systimestamp) - interval '10' minute;
    v_limit  constant pls_integer := :p_limit;
    type t_places is table of rowid index by pls_integer;
    v_places t_places;

    cursor c_old is
        select rowid from replies where created_utc < v_before for update skip locked;
begin
    open c_old;
    fetch c_old bulk collect into v_places limit v_limit;
    forall i in 1 .. v_places.count
        delete from replies where rowid = v_places(i);
    close c_old;
    commit;
    :p_removed := v_places.count;
exception
    when others then
        rollback;
        raise;
end;

-- name: trim_dead_letters
declare
    v_before constant timestamp(7) := to_timestamp(:p_before, 'YYYY-MM-DD"T"HH24:MI:SS.FF');
    v_limit  constant pls_integer := :p_limit;
    type t_places is table of rowid index by pls_integer;
    v_places t_places;

    cursor c_old is
        select rowid from dead_letters where replayed_utc < v_before for update skip locked;
begin
    open c_old;
    fetch c_old bulk collect into v_places limit v_limit;
    forall i in 1 .. v_places.count
        delete from dead_letters where rowid = v_places(i);
    close c_old;
    commit;
    :p_removed := v_places.count;
exception
    when others then
        rollback;
        raise;
end;
