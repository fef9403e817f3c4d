update payments
set status = $2, changed_utc = $3, told_utc = $3
where id = $1 and status = $2 - 1
returning id, amount, currency, correlation_key, status, receipt_id, created_utc, changed_utc, told_utc
