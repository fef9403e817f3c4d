with freed as (update leases set owner = null, until_utc = clock_timestamp() where owner = $1)
update nodes set left_utc = clock_timestamp() where id = $1
