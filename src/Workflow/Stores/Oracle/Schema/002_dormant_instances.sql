-- Dormant instances are live and only the store holds them: a lane that is loaded reads instances alone, which stays small however many wait.
-- An instance comes here when it has waited for long, and goes back to instances in the commit that changes it.
create table dormant_instances (
    id                 raw(16)            not null,
    partition_no       number(5)          not null check (partition_no between 0 and 63),
    definition         varchar2(128 char) not null,
    definition_version number(10)         not null,
    revision           number(19)         not null check (revision >= 1),
    state              number(5)          not null check (state between 0 and 2),
    correlation_key    varchar2(4000),
    body               clob               not null,
    history            clob,
    created_utc        timestamp(7)       not null,
    updated_utc        timestamp(7)       not null,
    next_due_utc       timestamp(7),
    constraint dormant_instances_key primary key (id)
)
initrans 8 pctfree 0
lob (body, history) store as (enable storage in row)
/

-- Timers are read ahead in order of time. The partition is beside them, so that what belongs to other lanes is passed without its row.
create index dormant_by_due on dormant_instances (next_due_utc, id, partition_no)
/

create index dormant_by_key on dormant_instances (correlation_key, id)
/

-- What dormant instances wait for. The first six bits of the slot are the partition: the slots of a partition are a range of the key.
create table dormant_waits (
    slot_no     number(19) not null,
    wait_id     raw(16)    not null,
    instance_id raw(16)    not null,
    constraint dormant_waits_key primary key (slot_no, wait_id)
)
initrans 8
/

alter table lanes add (last_position number(19) default 0 not null)
/

alter table lanes add (dormant number(19) default 0 not null)
/

alter table lanes add (dormant_tasks number(19) default 0 not null)
/

-- The last batch whose counts of dormant instances hold.
alter table lanes add (counted_batch number(19))
/

-- How many lanes shared the partitions when the batch was written; null if the counts do not hold.
alter table lanes add (lane_count number(10))
/

-- An engine of a build that does not know dormant instances does not count: in a lane that has some, its batches are refused.
alter table lanes add constraint lanes_counted check (dormant = 0 or counted_batch = last_batch)
/
