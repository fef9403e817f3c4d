select count(*), count(*) filter (where status = 3), count(receipt_id) from payments
