-- Statements are divided by a line that holds a slash. A table or index that exists already is left as it is, since a change of tables
-- commits by itself: a file that broke off is repeated from its start.
-- Instants are UTC without a zone. Text that may be long is a CLOB, kept in the row where it is short, and in the buffer cache. An empty
-- text is null here.

-- definition_no is 1, 2, 3 and so on in the order of the commits: a node looks for the highest, and reads those above the last that it has read.
create table definitions (
    name           varchar2(128 char) not null,
    version        number(10)         not null check (version >= 1),
    content_hash   varchar2(128 char) not null,
    body           clob               not null,
    registered_utc timestamp(7)       not null,
    definition_no  number(19)         not null,
    constraint definitions_key primary key (name, version)
)
lob (body) store as (enable storage in row cache)
/

create unique index definitions_by_number on definitions (definition_no)
/

-- One row a lane: the fence (epoch, 0 before anyone had it), the number of the last committed batch and the end of the lane's event stream.
create table lanes (
    lane               number(10) not null check (lane >= 0),
    epoch              number(19) not null check (epoch >= 0),
    last_batch         number(19) default 0 not null,
    last_sequence      number(19) default 0 not null,
    published_sequence number(19) default 0 not null,
    constraint lanes_key primary key (lane),
    constraint lanes_published check (published_sequence <= last_sequence)
)
initrans 8 pctfree 90
/

-- Who may work on a lane until when, apart from the fence: a renewal must not wait for the flush that has the lane's row.
create table leases (
    lane     number(10) not null,
    owner_id raw(16),
    held_utc timestamp(7),
    constraint leases_key primary key (lane),
    constraint leases_lane foreign key (lane) references lanes (lane),
    constraint leases_both check (nvl2(owner_id, 1, 0) = nvl2(held_utc, 1, 0))
)
initrans 8 pctfree 90
/

-- How many lanes the partitions are divided among; 0 before the first node. Its one row is the lock under which nodes join.
create table cluster_state (
    id         number(1)  not null check (id = 1),
    lane_count number(10) not null check (lane_count between 0 and 64),
    constraint cluster_state_key primary key (id)
)
/

insert into cluster_state (id, lane_count)
select 1, 0 from dual where not exists (select 1 from cluster_state)
/

-- active: 1 while the node has not left.
create table nodes (
    id          raw(16)            not null,
    node_name   varchar2(512 char) not null,
    started_utc timestamp(7)       not null,
    live_utc    timestamp(7)       not null,
    active      number(1)          not null check (active in (0, 1)),
    constraint nodes_key primary key (id)
)
initrans 8 pctfree 50
/

-- state: 0 running, 1 waiting, 2 suspended, 3 completed, 4 failed, 5 cancelled
create table instances (
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
    constraint instances_key primary key (id)
)
initrans 8 pctfree 40
lob (body, history) store as (enable storage in row cache)
/

create table finished_instances (
    id                 raw(16)            not null,
    partition_no       number(5)          not null check (partition_no between 0 and 63),
    definition         varchar2(128 char) not null,
    definition_version number(10)         not null,
    revision           number(19)         not null check (revision >= 1),
    state              number(5)          not null check (state between 3 and 5),
    correlation_key    varchar2(4000),
    body               clob               not null,
    history            clob,
    created_utc        timestamp(7)       not null,
    updated_utc        timestamp(7)       not null,
    constraint finished_instances_key primary key (id)
)
initrans 8
lob (body, history) store as (enable storage in row cache)
/

-- What lists of instances ask for: by key, and of what is finished by state.
create index instances_by_key on instances (correlation_key, id)
/

create index finished_by_key on finished_instances (correlation_key, id)
/

create index finished_by_state on finished_instances (state, id) compress 1
/

-- The history of an instance's commits after its eighth, one row a commit: what grows in the instance's own row is written again by every commit.
create table instance_history (
    instance_id raw(16)    not null,
    revision    number(19) not null,
    lines       clob       not null,
    constraint instance_history_key primary key (instance_id, revision)
)
lob (lines) store as (enable storage in row cache)
/

-- What is live in a lane beside its instances: signals, subscriptions and messages are the same to a store. Their bodies are the engine's.
-- kind: 0 signal, 1 subscription, 2 message. inbox_position is the position of a message: only those are in its index.
create table pending (
    id             raw(16)    not null,
    partition_no   number(5)  not null check (partition_no between 0 and 63),
    kind           number(5)  not null check (kind between 0 and 2),
    position_no    number(19) not null,
    body           clob       not null,
    inbox_position number(19) generated always as (case when kind = 2 then position_no end) virtual,
    constraint pending_key primary key (id)
)
initrans 8
lob (body) store as (enable storage in row cache)
/

create index pending_inbox on pending (inbox_position)
/

create table replies (
    message_id  raw(16)      not null,
    body        clob         not null,
    created_utc timestamp(7) not null,
    constraint replies_key primary key (message_id)
)
initrans 8
lob (body) store as (enable storage in row cache)
/

-- Retention looks for what is older than an instant.
create index replies_by_age on replies (created_utc)
/

create table idempotency_keys (
    request_key  varchar2(512 char) not null,
    request_hash varchar2(128 char) not null,
    result_id    raw(16)            not null,
    created_utc  timestamp(7)       not null,
    constraint idempotency_keys_key primary key (request_key)
)
initrans 8
/

create index idempotency_keys_by_age on idempotency_keys (created_utc)
/

create table events (
    stream_no   number(10)         not null,
    sequence_no number(19)         not null check (sequence_no >= 1),
    event_type  varchar2(128 char) not null,
    definition  varchar2(128 char),
    body        clob               not null,
    created_utc timestamp(7)       not null,
    constraint events_key primary key (stream_no, sequence_no)
)
initrans 8
lob (body) store as (enable storage in row cache)
/

-- state: 0 open, 1 completed, 2 cancelled, 3 timed out. group_names is a JSON array, for reading; task_groups finds tasks by group.
create table tasks (
    id                 raw(16)            not null,
    partition_no       number(5)          not null check (partition_no between 0 and 63),
    instance_id        raw(16)            not null,
    definition         varchar2(128 char) not null,
    definition_version number(10)         not null,
    correlation_key    varchar2(4000),
    step_name          varchar2(128 char) not null,
    state              number(5)          not null check (state between 0 and 3),
    assignee           varchar2(256 char),
    group_names        clob               not null,
    output             clob,
    created_utc        timestamp(7)       not null,
    updated_utc        timestamp(7)       not null,
    due_utc            timestamp(7),
    constraint tasks_key primary key (id),
    constraint tasks_output check (output is null or state = 1)
)
initrans 8
lob (group_names, output) store as (enable storage in row cache)
/

create index tasks_by_assignee on tasks (assignee, state, id)
/

create index tasks_by_state on tasks (state, id)
/

create table task_groups (
    group_name varchar2(256 char) not null,
    task_id    raw(16)            not null,
    constraint task_groups_key primary key (group_name, task_id)
)
organization index
/

-- Which instances an instance has called, so that a call pays for the list and nobody else does.
create table children (
    parent_id raw(16) not null,
    child_id  raw(16) not null,
    constraint children_key primary key (parent_id, child_id)
)
organization index
/

-- kind: 0 signal, 1 timer, 2 message, 3 activity. open_id is the id while the letter is open: only those are in its index.
create table dead_letters (
    id               raw(16)      not null,
    partition_no     number(5)    not null check (partition_no between 0 and 63),
    kind             number(5)    not null check (kind between 0 and 3),
    subject_id       raw(16)      not null,
    instance_id      raw(16),
    reason           clob,
    attempts         number(10)   not null check (attempts >= 1),
    payload          clob         not null,
    created_utc      timestamp(7) not null,
    last_attempt_utc timestamp(7) not null,
    replayed_utc     timestamp(7),
    applied          number(1) check (applied in (0, 1)),
    open_id          raw(16) generated always as (case when replayed_utc is null then id end) virtual,
    constraint dead_letters_key primary key (id),
    constraint dead_letters_replay check (nvl2(replayed_utc, 1, 0) = nvl2(applied, 1, 0))
)
lob (reason, payload) store as (enable storage in row cache)
/

create index dead_letters_open on dead_letters (open_id)
/

-- Open ones have no instant, and no entry.
create index dead_letters_by_age on dead_letters (replayed_utc)
/
