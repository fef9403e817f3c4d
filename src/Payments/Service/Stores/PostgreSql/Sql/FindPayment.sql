select id, amount, currency, correlation_key, status, receipt_id, created_utc, changed_utc, told_utc
from payments
where id = $1
