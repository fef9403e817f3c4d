-- Live state is small and hot; finished instances leave it in the commit that finishes them, so no background job moves rows.
-- Columns that the hot path updates carry no index.

create table if not exists definitions (
    name           text not null,
    version        integer not null check (version >= 1),
    content_hash   text not null,
    body           text not null,
    registered_utc timestamptz not null,
    primary key (name, version)
);

-- One row a lane: the fence (epoch), the number of the last committed batch and the end of the lane's event stream.
create table if not exists lanes (
    lane               integer primary key check (lane >= 0),
    epoch              bigint not null check (epoch >= 1),
    last_batch         bigint not null default 0,
    last_sequence      bigint not null default 0,
    published_sequence bigint not null default 0 check (published_sequence <= last_sequence)
) with (fillfactor = 20);

-- state: 0 running, 1 waiting, 2 suspended, 3 completed, 4 failed, 5 cancelled
create table if not exists instances (
    id                 uuid primary key,
    partition          smallint not null check (partition between 0 and 63),
    definition         text not null,
    definition_version integer not null,
    revision           bigint not null check (revision >= 1),
    state              smallint not null check (state between 0 and 2),
    correlation_key    text,
    body               text not null,
    history            text not null,
    created_utc        timestamptz not null,
    updated_utc        timestamptz not null
) with (fillfactor = 75);

create table if not exists finished_instances (
    id                 uuid primary key,
    partition          smallint not null check (partition between 0 and 63),
    definition         text not null,
    definition_version integer not null,
    revision           bigint not null check (revision >= 1),
    state              smallint not null check (state between 3 and 5),
    correlation_key    text,
    body               text not null,
    history            text not null,
    created_utc        timestamptz not null,
    updated_utc        timestamptz not null
);

create table if not exists signals (
    id              uuid primary key,
    partition       smallint not null check (partition between 0 and 63),
    name            text not null,
    correlation_key text,
    instance_id     uuid,
    payload         text,
    position        bigint not null,
    accepted_utc    timestamptz not null,
    due_utc         timestamptz,
    expires_utc     timestamptz not null,
    check ((correlation_key is null) <> (instance_id is null))
);

create table if not exists subscriptions (
    wait_id         uuid primary key,
    partition       smallint not null check (partition between 0 and 63),
    name            text not null,
    correlation_key text not null,
    instance_id     uuid not null,
    position        bigint not null
);

create table if not exists messages (
    id        uuid primary key,
    partition smallint not null check (partition between 0 and 63),
    kind      text not null check (kind in ('subscribe', 'unsubscribe', 'deliver', 'return')),
    body      text not null,
    position  bigint not null
);

create table if not exists idempotency_keys (
    key          text primary key,
    request_hash text not null,
    result_id    uuid not null,
    created_utc  timestamptz not null
);

create table if not exists events (
    stream      integer not null,
    sequence    bigint not null check (sequence >= 1),
    type        text not null,
    definition  text,
    body        text not null,
    created_utc timestamptz not null,
    primary key (stream, sequence)
);
