-- What every flush pays for and no flush needs. expect_lanes, which each one called, stays for engines of earlier builds that still run.

-- Called only for a batch that is refused.
create or replace function refuse_batch(wanted_lane integer, wanted_epoch bigint) returns integer
language plpgsql as $$
begin
    if exists (select from lanes where lane = wanted_lane and epoch = wanted_epoch) then
        raise exception 'lane %: a batch does not follow the last one committed', wanted_lane using errcode = 'WF002';
    end if;
    raise exception 'lane %: epoch % is over', wanted_lane, wanted_epoch using errcode = 'WF001';
end $$;

-- The server reads the text of a table's checks anew for each statement that writes to it, a sixth of the time of a flush of one row. Only the
-- engine writes these tables. The checks of states stay: by them a list of one state leaves the table out that cannot have it.
alter table batches drop constraint if exists batches_check, drop constraint if exists batches_number_check;
alter table event_pages drop constraint if exists event_pages_check;
alter table instances drop constraint if exists instances_partition_check, drop constraint if exists instances_revision_check;
alter table finished_instances
    drop constraint if exists finished_instances_partition_check,
    drop constraint if exists finished_instances_revision_check;
alter table pending drop constraint if exists pending_kind_check, drop constraint if exists pending_partition_check;
