-- A flush calls this only for a batch that it refuses. expect_lanes, which it called each time, stays for engines of earlier builds that still run.

create or replace function refuse_batch(wanted_lane integer, wanted_epoch bigint) returns integer
language plpgsql as $$
begin
    if exists (select from lanes where lane = wanted_lane and epoch = wanted_epoch) then
        raise exception 'lane %: a batch does not follow the last one committed', wanted_lane using errcode = 'WF002';
    end if;
    raise exception 'lane %: epoch % is over', wanted_lane, wanted_epoch using errcode = 'WF001';
end $$;
