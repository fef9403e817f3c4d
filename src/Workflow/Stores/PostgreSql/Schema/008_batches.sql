-- A flush adds rows and changes none of its lane, only locks it: with a transaction held open anywhere, versions of a row that every flush updates
-- would pile up, and every flush would pass them all.

create table if not exists batches (
    lane               integer not null,
    number             bigint not null check (number >= 0),
    last_sequence      bigint not null,
    published_sequence bigint not null check (published_sequence <= last_sequence),
    primary key (lane, number)
);
insert into batches select lane, last_batch, last_sequence, published_sequence from lanes;
alter table lanes drop column last_batch, drop column last_sequence, drop column published_sequence;

-- The last batch of each lane.
create or replace view lane_ends as
select l.lane, coalesce(b.number, 0) as number, coalesce(b.last_sequence, 0) as last_sequence, coalesce(b.published_sequence, 0) as published_sequence
  from lanes l
  left join lateral (select * from batches where lane = l.lane order by number desc limit 1) b on true;

-- Events of one flush in one row: a JSON array of [type, definition, microseconds since 1970, event], the first with first_sequence, compressed.
create table if not exists event_pages (
    stream         integer not null,
    last_sequence  bigint not null,
    first_sequence bigint not null check (first_sequence between 1 and last_sequence),
    events         text not null,
    created_utc    timestamptz not null,
    primary key (stream, last_sequence)
);
do $$ begin
    alter table event_pages alter column events set compression lz4;
exception when feature_not_supported then
    null; -- A server that was built without it compresses by its own method.
end $$;
insert into event_pages
select stream, sequence, sequence,
       json_build_array(json_build_array(type, definition, (extract(epoch from created_utc) * 1000000)::bigint, body::json))::text, created_utc
  from events;
drop table events;

create or replace function expect_lanes(matched bigint, added bigint, wanted_lanes integer[], wanted_epochs bigint[]) returns void
language plpgsql as $$
begin
    if matched <> cardinality(wanted_lanes) then
        raise exception '%', (select string_agg(format('lane %s: epoch %s is over', w.lane, w.epoch), '; ' order by w.lane)
                                from unnest(wanted_lanes, wanted_epochs) as w (lane, epoch)
                               where not exists (select from lanes l where l.lane = w.lane and l.epoch = w.epoch))
            using errcode = 'WF001';
    end if;
    if added <> matched then
        raise exception 'lanes %: a batch does not follow the last one committed', wanted_lanes using errcode = 'WF002';
    end if;
end $$;
drop function if exists expect_lanes(bigint, integer[], bigint[]);
drop function if exists expect_lane(bigint, integer, bigint);
