-- Guards run inside the flush, before its commit: a row count checked by the client would come after it, too late.

create or replace function expect_lane(moved bigint, wanted_lane integer, wanted_epoch bigint) returns void
language plpgsql as $$
begin
    if moved = 1 then
        return;
    end if;
    if exists (select from lanes where lane = wanted_lane and epoch = wanted_epoch) then
        raise exception 'lane %: the batch does not follow the last one committed', wanted_lane using errcode = 'WF002';
    end if;
    raise exception 'lane %: epoch % is over', wanted_lane, wanted_epoch using errcode = 'WF001';
end $$;

create or replace function expect_rows(matched bigint, wanted bigint, what text) returns void
language plpgsql as $$
begin
    if matched <> wanted then
        raise exception '%: % of % rows were as expected', what, matched, wanted using errcode = 'WF002';
    end if;
end $$;
