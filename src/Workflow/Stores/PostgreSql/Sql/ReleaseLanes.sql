update leases set owner = null, until_utc = clock_timestamp() where owner = $1 and lane = any ($2)
