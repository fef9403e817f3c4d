-- What is live in a lane beside its instances: signals, subscriptions and messages are the same to a store. Their bodies are the engine's.
-- kind: 0 signal, 1 subscription, 2 message

create table if not exists pending (
    id        uuid primary key,
    partition smallint not null check (partition between 0 and 63),
    kind      smallint not null check (kind between 0 and 2),
    position  bigint not null,
    body      text not null
);

-- Inboxes are read again and again, however many signals wait beside them.
create index if not exists pending_inbox on pending (position) where kind = 2;

insert into pending
select id, partition, 0, position,
       '{"n":' || to_json(name) || coalesce(',"y":' || to_json(correlation_key), '') || coalesce(',"i":' || to_json(instance_id), '')
       || coalesce(',"p":' || payload, '') || ',"a":' || to_json(accepted_utc) || coalesce(',"d":' || to_json(due_utc), '')
       || ',"x":' || to_json(expires_utc) || '}'
  from signals;
insert into pending
select wait_id, partition, 1, position, '{"n":' || to_json(name) || ',"y":' || to_json(correlation_key) || ',"i":' || to_json(instance_id) || '}'
  from subscriptions;
insert into pending
select id, partition, 2, position, '{"' || kind || '":' || body || '}' from messages;

drop table signals;
drop table subscriptions;
drop table messages;
