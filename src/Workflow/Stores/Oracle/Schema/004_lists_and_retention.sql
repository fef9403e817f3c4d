-- Lists of instances by key and by state, and what retention looks for: what is older than an instant.
create index instances_by_key on instances (correlation_key, id)
/

create index finished_by_key on finished_instances (correlation_key, id)
/

create index finished_by_state on finished_instances (state, id) compress 1
/

create index idempotency_keys_by_age on idempotency_keys (created_utc)
/

create index replies_by_age on replies (created_utc)
/

-- Open ones have no instant, and no entry.
create index dead_letters_by_age on dead_letters (replayed_utc)
/
