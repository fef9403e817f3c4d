delete from replies where created_utc < clock_timestamp() - interval '10 minutes'
