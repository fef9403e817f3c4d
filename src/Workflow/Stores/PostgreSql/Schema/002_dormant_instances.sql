-- Dormant instances are live and only the store holds them: a lane that is loaded reads `instances` alone, which stays small however many wait.
-- An instance comes here when it has waited for long, and leaves in the commit that changes it: rows are added and removed, never updated. So pages
-- are filled (fillfactor 100), and a twentieth of dead rows is vacuumed away, not a fifth: of 10,000,000 rows that would be a gigabyte.
create table dormant_instances (
    id                 uuid primary key,
    partition          smallint not null,
    definition         text not null,
    definition_version integer not null,
    revision           bigint not null,
    state              smallint not null check (state between 0 and 2),
    correlation_key    text,
    body               text not null,
    history            text not null,
    created_utc        timestamptz not null,
    updated_utc        timestamptz not null,
    next_due_utc       timestamptz
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);

-- Timers are read ahead in order of time. The partition is beside them, so that what belongs to other lanes is passed without its row.
create index dormant_by_due on dormant_instances (next_due_utc, id) include (partition) where next_due_utc is not null;

-- Lists. Nearly all that is dormant waits: only the rest pays for an entry by state.
create index dormant_by_key on dormant_instances (correlation_key) where correlation_key is not null;
create index dormant_by_state on dormant_instances (state, id) where state in (0, 2);

-- What dormant instances wait for. The first six bits of the slot are the partition: the slots of a partition are a range of the key. The id of the
-- wait is part of the key, so that one of many waits in a slot is removed without a look at the others.
create table dormant_waits (
    slot        bigint not null,
    wait_id     uuid not null,
    instance_id uuid not null,
    primary key (slot, wait_id)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);

create view live_instances as
select id, partition, definition, definition_version, revision, state, correlation_key, body, history, created_utc, updated_utc from instances
union all
select id, partition, definition, definition_version, revision, state, correlation_key, body, history, created_utc, updated_utc from dormant_instances;

-- An engine of a build that does not know dormant instances would take a signal to one for a signal that nobody waits for. One that has opened the
-- schema before this file goes on until the first instance is dormant; then its batches, which do not say `lanes`, are refused as those of a former
-- owner are.
create function refuse_earlier_build() returns integer
language plpgsql set search_path from current as $$
begin
    if exists (select from dormant_instances) then
        raise exception 'the schema holds dormant instances, which the build of this node does not know: use the build of the other nodes'
            using errcode = 'WF001';
    end if;
    return null;
end $$;

-- lanes: how many shared the partitions when the batch was written; null if its counts of dormant instances and of their tasks do not hold.
alter table batches
    add column last_position bigint not null default 0,
    add column dormant bigint not null default 0,
    add column dormant_tasks bigint not null default 0,
    add column lanes integer;
alter table batches alter column lanes set default refuse_earlier_build();

create or replace view lane_ends as
select l.lane, coalesce(b.number, 0) as number, coalesce(b.last_sequence, 0) as last_sequence, coalesce(b.published_sequence, 0) as published_sequence,
       coalesce(b.last_position, 0) as last_position, coalesce(b.dormant, 0) as dormant, coalesce(b.dormant_tasks, 0) as dormant_tasks, b.lanes
  from lanes l
  left join lateral (select * from batches where lane = l.lane order by number desc limit 1) b on true;

-- As before; where the number of lanes changes, what is dormant in each is counted anew.
create or replace function join_cluster(node uuid, node_name text, wanted integer, lease interval, out current integer, out insisting text)
language plpgsql as $$
begin
    insert into cluster (lanes) values (wanted) on conflict do nothing;
    select lanes into current from cluster for update;
    delete from nodes where until_utc < clock_timestamp() and renewed_utc < clock_timestamp() - interval '1 hour';
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
        update batches b set lanes = null from lane_ends e where b.lane = e.lane and b.number = e.number;
    end if;
    insert into lanes (lane, epoch) select i, 1 from generate_series(0, wanted - 1) i on conflict do nothing;
    insert into leases (lane, until_utc) select lane, clock_timestamp() from lanes on conflict do nothing;
    insert into nodes (id, name, started_utc, until_utc, renewed_utc)
    values (node, node_name, clock_timestamp(), clock_timestamp() + lease, clock_timestamp())
    on conflict (id) do update set until_utc = excluded.until_utc, renewed_utc = excluded.renewed_utc;
end $$;
