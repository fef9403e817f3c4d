-- A payment's row is also the record of what is still to be published: the event of its status, as long as it has no receipt.

create table payments (
    id uuid primary key,
    amount bigint not null check (amount > 0),
    currency char(3) not null check (currency ~ '^[A-Z]{3}$'),
    correlation_key text check (length(correlation_key) between 1 and 128),
    -- 0 initiated, 1 created, 2 settled, 3 completed
    status smallint not null check (status between 0 and 3),
    receipt_id uuid unique check (receipt_id is null or status = 3),
    created_utc timestamptz not null,
    changed_utc timestamptz not null,
    published_utc timestamptz not null,
    -- What a client sent so that it may repeat a creation.
    idempotency_key text check (length(idempotency_key) between 1 and 128)
);

create index payments_unfinished on payments (published_utc) where receipt_id is null;

-- Most payments have no key, and are not in the index.
create unique index payments_idempotency_key on payments (idempotency_key) where idempotency_key is not null;
