update payments
set receipt_id = $2, changed_utc = $3
where id = $1 and status = 3 and receipt_id is null
