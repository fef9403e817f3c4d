with free as (
    select lane from leases
     where lane = any ($2) and (owner is null or until_utc <= clock_timestamp()) and exists (select from nodes where id = $1 and left_utc is null)
     order by lane for update skip locked),
claimed as (
    update leases l set owner = $1, until_utc = clock_timestamp() + $3 from free where l.lane = free.lane returning l.lane)
update lanes l set epoch = l.epoch + 1 from claimed where l.lane = claimed.lane returning l.lane
