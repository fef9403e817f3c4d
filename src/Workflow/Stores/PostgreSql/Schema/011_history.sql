-- The history of an instance's commits after its eighth, one row a commit: what grows in the instance's own row is written again by every commit.

create table if not exists instance_history (
    instance_id uuid   not null,
    revision    bigint not null,
    lines       text   not null,
    primary key (instance_id, revision)
);
