insert into payments (id, amount, currency, correlation_key, status, created_utc, changed_utc, told_utc)
values ($1, $2, $3, $4, 0, $5, $5, $5)
