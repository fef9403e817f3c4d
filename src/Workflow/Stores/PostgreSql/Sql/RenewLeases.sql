with mine as (select lane from leases where owner = $1 order by lane for update)
update leases l set until_utc = clock_timestamp() + $2 from mine where l.lane = mine.lane
