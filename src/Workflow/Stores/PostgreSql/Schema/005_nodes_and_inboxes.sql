-- Several nodes on one schema. Leases stand apart from the lanes, so that renewing one never waits for a flush.

-- How many lanes the partitions are divided among.
create table if not exists cluster (
    one   boolean primary key default true check (one),
    lanes integer not null check (lanes between 1 and 64)
);

-- One row a life of a node. left_utc is the tombstone of one that has left in order.
create table if not exists nodes (
    id          uuid primary key,
    name        text not null,
    started_utc timestamptz not null,
    until_utc   timestamptz not null,
    left_utc    timestamptz
) with (fillfactor = 20);

-- session is the server process that writes the lane.
create table if not exists leases (
    lane          integer primary key check (lane >= 0),
    owner         uuid,
    until_utc     timestamptz not null,
    session       integer,
    session_start timestamptz
) with (fillfactor = 20);

create table if not exists replies (
    message_id  uuid primary key,
    body        text not null,
    created_utc timestamptz not null
);

-- The inbox of a partition also holds commands that reached another node than the owner.
alter table messages drop constraint if exists messages_kind_check;
alter table messages add constraint messages_kind_check
    check (kind in ('subscribe', 'unsubscribe', 'deliver', 'return', 'signal', 'start', 'cancel', 'assign', 'complete', 'replay'));

-- Returns the number of lanes in force, and the live nodes that insist on it where that is not the number wanted.
create or replace function join_cluster(node uuid, node_name text, wanted integer, lease interval, out current integer, out insisting text)
language plpgsql as $$
begin
    insert into cluster (lanes) values (wanted) on conflict do nothing;
    select lanes into current from cluster for update;
    delete from nodes where until_utc < clock_timestamp() - interval '1 hour';
    if current <> wanted then
        select string_agg(name, ', ' order by name) into insisting
          from nodes where left_utc is null and until_utc > clock_timestamp() and id <> node;
        if insisting is not null then
            return;
        end if;
        current := wanted;
        update cluster set lanes = wanted;
        update leases set owner = null;
        update lanes set epoch = epoch + 1;
    end if;
    insert into lanes (lane, epoch) select i, 1 from generate_series(0, wanted - 1) i on conflict do nothing;
    insert into leases (lane, until_utc) select lane, clock_timestamp() from lanes on conflict do nothing;
    insert into nodes (id, name, started_utc, until_utc) values (node, node_name, clock_timestamp(), clock_timestamp() + lease)
    on conflict (id) do update set until_utc = excluded.until_utc;
end $$;
