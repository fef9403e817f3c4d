-- What a client sent so that it may repeat a creation. Most payments have none, and are not in the index.
alter table payments add column idempotency_key text check (length(idempotency_key) between 1 and 128);

create unique index payments_idempotency_key on payments (idempotency_key) where idempotency_key is not null;
