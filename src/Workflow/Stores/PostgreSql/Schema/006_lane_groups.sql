-- One flush may commit batches of several lanes: its guard takes them all.

create or replace function expect_lanes(moved bigint, wanted_lanes integer[], wanted_epochs bigint[]) returns void
language plpgsql as $$
declare
    over text;
begin
    if moved = cardinality(wanted_lanes) then
        return;
    end if;
    select string_agg(format('lane %s: epoch %s is over', w.lane, w.epoch), '; ' order by w.lane) into over
      from unnest(wanted_lanes, wanted_epochs) as w (lane, epoch)
     where not exists (select from lanes l where l.lane = w.lane and l.epoch = w.epoch);
    if over is null then
        raise exception 'lanes %: a batch does not follow the last one committed', wanted_lanes using errcode = 'WF002';
    end if;
    raise exception '%', over using errcode = 'WF001';
end $$;
