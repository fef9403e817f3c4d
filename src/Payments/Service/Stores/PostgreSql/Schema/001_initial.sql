-- A payment's row is also the record of what is still to be told: the event of its status, as long as it has no receipt.

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
    told_utc timestamptz not null
);

create index payments_unfinished on payments (told_utc) where receipt_id is null;
