-- The server's clock may be set back. Who was dead before would live again until it has caught up, and nobody could take a dead node's lanes: so a row says
-- when it was renewed, too, and one whose time is over has '-infinity' in until_utc from then on.

alter table nodes add column if not exists renewed_utc timestamptz not null default clock_timestamp();
alter table leases add column if not exists renewed_utc timestamptz not null default clock_timestamp();

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
    end if;
    insert into lanes (lane, epoch) select i, 1 from generate_series(0, wanted - 1) i on conflict do nothing;
    insert into leases (lane, until_utc) select lane, clock_timestamp() from lanes on conflict do nothing;
    insert into nodes (id, name, started_utc, until_utc, renewed_utc)
    values (node, node_name, clock_timestamp(), clock_timestamp() + lease, clock_timestamp())
    on conflict (id) do update set until_utc = excluded.until_utc, renewed_utc = excluded.renewed_utc;
end $$;
