delete from replies where message_id = any ($1) returning message_id, body, created_utc
