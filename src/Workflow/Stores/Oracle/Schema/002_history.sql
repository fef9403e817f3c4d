-- The history of an instance's commits after its eighth, one row a commit: what grows in the instance's own row is written again by every commit.
create table instance_history (
    instance_id raw(16)    not null,
    revision    number(19) not null,
    lines       clob       not null,
    constraint instance_history_key primary key (instance_id, revision)
)
lob (lines) store as (enable storage in row cache)
/
