-- Live state is small and hot; finished instances leave it in the commit that finishes them, so no background job moves rows.
-- Columns that the hot path updates carry no index. The server reads the text of a table's checks anew for each statement that writes to it, a
-- sixth of the time of a flush of one row: tables that nearly every flush writes have none but that of an instance's state, by which a list of one
-- state leaves the table out that cannot have it. Only the engine writes these tables.

-- number is 1, 2, 3 and so on in the order of the commits: a node looks for the highest number, and reads those above the last that it has read.
create table definitions (
    name           text not null,
    version        integer not null check (version >= 1),
    content_hash   text not null,
    body           text not null,
    registered_utc timestamptz not null,
    number         bigint not null,
    primary key (name, version)
);

create unique index definitions_by_number on definitions (number);

-- Whoever adds one holds the lock until its commit: no number can be seen before those below it.
create function number_definition() returns trigger
language plpgsql as $$
begin
    perform pg_advisory_xact_lock(hashtextextended('workflow definitions of ' || tg_table_schema, 0));
    select coalesce(max(number), 0) + 1 into new.number from definitions;
    return new;
end $$;

create trigger number_definition before insert on definitions for each row execute function number_definition();

-- One row a lane: the fence. A flush adds rows and changes none of its lane, only locks it: with a transaction held open anywhere, versions of a row
-- that every flush updates would pile up, and every flush would pass them all.
create table lanes (
    lane  integer primary key check (lane >= 0),
    epoch bigint not null check (epoch >= 1)
) with (fillfactor = 20);

create table batches (
    lane               integer not null,
    number             bigint not null,
    last_sequence      bigint not null,
    published_sequence bigint not null,
    primary key (lane, number)
);

-- The last batch of each lane.
create view lane_ends as
select l.lane, coalesce(b.number, 0) as number, coalesce(b.last_sequence, 0) as last_sequence, coalesce(b.published_sequence, 0) as published_sequence
  from lanes l
  left join lateral (select * from batches where lane = l.lane order by number desc limit 1) b on true;

-- state: 0 running, 1 waiting, 2 suspended, 3 completed, 4 failed, 5 cancelled
create table instances (
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
    updated_utc        timestamptz not null
) with (fillfactor = 75);

create table finished_instances (
    id                 uuid primary key,
    partition          smallint not null,
    definition         text not null,
    definition_version integer not null,
    revision           bigint not null,
    state              smallint not null check (state between 3 and 5),
    correlation_key    text,
    body               text not null,
    history            text not null,
    created_utc        timestamptz not null,
    updated_utc        timestamptz not null
);

-- What completes is listed by its id alone. Only what failed or was cancelled pays for an index entry.
create index finished_by_state on finished_instances (state, id) where state in (4, 5);

-- A Bloom filter of the keys of each 8 pages, less than 2 bytes an instance, made once the pages are full (`summarize_finished`): until then an
-- insert finds no filter and writes nothing. Not by autosummarize, whose requests overflow where pages fill faster than vacuums run, nor by
-- brin_summarize_new_values, whose filter of the last, half-empty pages each insert would change.
create index finished_by_key on finished_instances
    using brin (correlation_key text_bloom_ops (n_distinct_per_range = 120, false_positive_rate = 0.001)) with (pages_per_range = 8);

-- The history of an instance's commits after its eighth, one row a commit: what grows in the instance's own row is written again by every commit.
create table instance_history (
    instance_id uuid   not null,
    revision    bigint not null,
    lines       text   not null,
    primary key (instance_id, revision)
);

-- What is live in a lane beside its instances: signals, subscriptions and messages are the same to a store. Their bodies are the engine's.
-- kind: 0 signal, 1 subscription, 2 message
create table pending (
    id        uuid primary key,
    partition smallint not null,
    kind      smallint not null,
    position  bigint not null,
    body      text not null
);

-- Inboxes are read again and again, however many signals wait beside them.
create index pending_inbox on pending (position) where kind = 2;

create table replies (
    message_id  uuid primary key,
    body        text not null,
    created_utc timestamptz not null
);

create table idempotency_keys (
    key          text primary key,
    request_hash text not null,
    result_id    uuid not null,
    created_utc  timestamptz not null
);

-- Events of one flush in one row: a JSON array of [type, definition, microseconds since 1970, event], the first with first_sequence, compressed.
create table event_pages (
    stream         integer not null,
    last_sequence  bigint not null,
    first_sequence bigint not null,
    events         text not null,
    created_utc    timestamptz not null,
    primary key (stream, last_sequence)
);

do $$ begin
    alter table event_pages alter column events set compression lz4;
exception when feature_not_supported then
    null; -- A server that was built without it compresses by its own method.
end $$;

-- Tasks and calls are written in the commits that change their instance, and only by definitions that have such steps.

-- state: 0 open, 1 completed, 2 cancelled, 3 timed out
create table tasks (
    id                 uuid primary key,
    partition          smallint not null check (partition between 0 and 63),
    instance_id        uuid not null,
    definition         text not null,
    definition_version integer not null,
    correlation_key    text,
    step               text not null,
    state              smallint not null check (state between 0 and 3),
    assignee           text,
    groups             text[] not null,
    output             text check (output is null or state = 1),
    created_utc        timestamptz not null,
    updated_utc        timestamptz not null,
    due_utc            timestamptz
) with (fillfactor = 75);

create index tasks_by_assignee on tasks (assignee, state, id) where assignee is not null;
create index tasks_by_state on tasks (state, id);
create index tasks_by_group on tasks using gin (groups);

-- Which instances an instance has called, so that a call pays for the list and nobody else does.
create table children (
    parent_id uuid not null,
    child_id  uuid not null,
    primary key (parent_id, child_id)
);

-- Work that was accepted and could not be applied. What it stood for (a signal, a message) was removed in the commit that added the letter; a
-- timer or an activity result names the wait, which stays in its instance.
-- kind: 0 signal, 1 timer, 2 message, 3 activity
create table dead_letters (
    id               uuid primary key,
    partition        smallint not null check (partition between 0 and 63),
    kind             smallint not null check (kind between 0 and 3),
    subject_id       uuid not null,
    instance_id      uuid,
    reason           text not null,
    attempts         integer not null check (attempts >= 1),
    payload          text not null,
    created_utc      timestamptz not null,
    last_attempt_utc timestamptz not null,
    replayed_utc     timestamptz,
    applied          boolean,
    check ((replayed_utc is null) = (applied is null))
);

create index dead_letters_open on dead_letters (id) where replayed_utc is null;

-- How many lanes the partitions are divided among, and the secret by which nodes know that they share this schema.
create table cluster (
    one    boolean primary key default true check (one),
    lanes  integer not null check (lanes between 1 and 64),
    secret text
);

-- One row a life of a node. left_utc is the tombstone of one that has left in order; address is where other nodes reach it.
-- The server's clock may be set back: who was dead before would live again until it has caught up, and nobody could take a dead node's lanes. So a row
-- says when it was renewed, too, and one whose time is over has '-infinity' in until_utc from then on.
create table nodes (
    id          uuid primary key,
    name        text not null,
    started_utc timestamptz not null,
    until_utc   timestamptz not null,
    left_utc    timestamptz,
    address     text,
    renewed_utc timestamptz not null default clock_timestamp()
) with (fillfactor = 20);

-- Leases stand apart from the lanes, so that renewing one never waits for a flush. session is the server process that writes the lane.
create table leases (
    lane          integer primary key check (lane >= 0),
    owner         uuid,
    until_utc     timestamptz not null,
    session       integer,
    session_start timestamptz,
    renewed_utc   timestamptz not null default clock_timestamp()
) with (fillfactor = 20);

-- Returns the number of lanes in force, and the live nodes that insist on it where that is not the number wanted.
create function join_cluster(node uuid, node_name text, wanted integer, lease interval, out current integer, out insisting text)
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

-- Guards run inside the flush, before its commit: a row count checked by the client would come after it, too late. They are called only where a guard
-- does not hold.

create function expect_rows(matched bigint, wanted bigint, what text) returns void
language plpgsql as $$
begin
    if matched <> wanted then
        raise exception '%: % of % rows were as expected', what, matched, wanted using errcode = 'WF002';
    end if;
end $$;

create function refuse_batch(wanted_lane integer, wanted_epoch bigint) returns integer
language plpgsql as $$
begin
    if exists (select from lanes where lane = wanted_lane and epoch = wanted_epoch) then
        raise exception 'lane %: a batch does not follow the last one committed', wanted_lane using errcode = 'WF002';
    end if;
    raise exception 'lane %: epoch % is over', wanted_lane, wanted_epoch using errcode = 'WF001';
end $$;
