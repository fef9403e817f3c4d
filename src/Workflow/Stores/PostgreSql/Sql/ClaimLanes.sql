-- What another transaction is at, a renewal or a flush that has not ended, is left for the next claim: nobody waits here.
with free as (
    select s.lane
      from leases s join lanes l on l.lane = s.lane
     where s.lane = any ($2) and (s.owner is null or s.until_utc <= clock_timestamp()) and exists (select from nodes where id = $1 and left_utc is null)
     order by s.lane for update of s, l skip locked),
claimed as (
    update leases s set owner = $1, until_utc = clock_timestamp() + $3 from free where s.lane = free.lane returning s.lane)
update lanes l set epoch = l.epoch + 1 from claimed where l.lane = claimed.lane returning l.lane
