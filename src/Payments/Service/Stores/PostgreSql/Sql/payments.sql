-- name: add_payment
insert into payments (id, amount, currency, correlation_key, status, created_utc, changed_utc, published_utc)
values ($1, $2, $3, $4, 0, $5, $5, $5)

-- name: add_payment_once
insert into payments (id, amount, currency, correlation_key, status, created_utc, changed_utc, published_utc, idempotency_key)
values ($1, $2, $3, $4, 0, $5, $5, $5, $6)
on conflict (idempotency_key) where idempotency_key is not null do nothing

-- name: find_payment_by_key
select id, amount, currency, correlation_key, status, receipt_id, created_utc, changed_utc, published_utc
from payments
where idempotency_key = $1

-- name: advance_payment
update payments
set status = $2, changed_utc = $3, published_utc = $3
where id = $1 and status = $2 - 1
returning id, amount, currency, correlation_key, status, receipt_id, created_utc, changed_utc, published_utc

-- name: issue_receipt
update payments
set receipt_id = $2, changed_utc = $3
where id = $1 and status = 3 and receipt_id is null

-- name: take_overdue
with overdue as (
    select id
    from payments
    where receipt_id is null and published_utc < $1
    order by published_utc
    limit $3
    for update skip locked
)
update payments
set published_utc = $2
from overdue
where payments.id = overdue.id
returning payments.id, amount, currency, correlation_key, status, receipt_id, created_utc, changed_utc, published_utc

-- name: find_payment
select id, amount, currency, correlation_key, status, receipt_id, created_utc, changed_utc, published_utc
from payments
where id = $1

-- name: count_payments
select count(*), count(*) filter (where status = 3), count(receipt_id) from payments
