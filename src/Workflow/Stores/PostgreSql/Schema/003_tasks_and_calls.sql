-- Tasks and calls are written in the commits that change their instance, and only by definitions that have such steps.

-- state: 0 open, 1 completed, 2 cancelled, 3 timed out
create table if not exists tasks (
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

create index if not exists tasks_by_assignee on tasks (assignee, state, id) where assignee is not null;
create index if not exists tasks_by_state on tasks (state, id);
create index if not exists tasks_by_group on tasks using gin (groups);

-- Which instances an instance has called, so that a call pays for the list and nobody else does.
create table if not exists children (
    parent_id uuid not null,
    child_id  uuid not null,
    primary key (parent_id, child_id)
);
