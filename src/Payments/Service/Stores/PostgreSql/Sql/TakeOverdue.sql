with overdue as (
    select id
    from payments
    where receipt_id is null and told_utc < $1
    order by told_utc
    limit $3
    for update skip locked
)
update payments
set told_utc = $2
from overdue
where payments.id = overdue.id
returning payments.id, amount, currency, correlation_key, status, receipt_id, created_utc, changed_utc, told_utc
