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

-- What was moved and removed already, by a migration that broke off, is not there any more.
insert into pending (id, partition_no, kind, position_no, body)
select s.id, s.partition_no, 0, s.position_no,
       json_object(
           'n' value s.name,
           'y' value s.correlation_key,
           'i' value lower(regexp_replace(rawtohex(s.instance_id), '(.{8})(.{4})(.{4})(.{4})(.{12})', '\1-\2-\3-\4-\5')),
           'p' value s.payload format json,
           'a' value to_char(s.accepted_utc, 'YYYY-MM-DD"T"HH24:MI:SS.FF7"Z"'),
           'd' value to_char(s.due_utc, 'YYYY-MM-DD"T"HH24:MI:SS.FF7"Z"'),
           'x' value to_char(s.expires_utc, 'YYYY-MM-DD"T"HH24:MI:SS.FF7"Z"')
           absent on null returning clob)
  from signals s
 where not exists (select 1 from pending p where p.id = s.id)
/

insert into pending (id, partition_no, kind, position_no, body)
select s.wait_id, s.partition_no, 1, s.position_no,
       json_object(
           'n' value s.name,
           'y' value s.correlation_key,
           'i' value lower(regexp_replace(rawtohex(s.instance_id), '(.{8})(.{4})(.{4})(.{4})(.{12})', '\1-\2-\3-\4-\5'))
           returning clob)
  from subscriptions s
 where not exists (select 1 from pending p where p.id = s.wait_id)
/

insert into pending (id, partition_no, kind, position_no, body)
select m.id, m.partition_no, 2, m.position_no, to_clob('{"' || m.kind || '":') || m.body || to_clob('}')
  from messages m
 where not exists (select 1 from pending p where p.id = m.id)
/

drop table signals
/

drop table subscriptions
/

drop table messages
/
