-- name: join_cluster
select current, insisting from join_cluster($1, $2, $3, $4)

-- name: renew_node
update nodes set until_utc = clock_timestamp() + $2, renewed_utc = clock_timestamp() where id = $1 and left_utc is null

-- name: renew_leases
with mine as (select lane from leases where owner = $1 order by lane for update)
update leases l set until_utc = clock_timestamp() + $2, renewed_utc = clock_timestamp() from mine where l.lane = mine.lane

-- name: settle_nodes
-- Of the others: what is over stays over, and what was renewed later than it is now, before the clock was set back, begins again.
with due as (
    select id from nodes where until_utc > '-infinity' and (until_utc <= clock_timestamp() or renewed_utc > clock_timestamp()) for update skip locked)
update nodes n
   set until_utc = case when n.until_utc <= clock_timestamp() then '-infinity' else clock_timestamp() + (n.until_utc - n.renewed_utc) end,
       renewed_utc = least(n.renewed_utc, clock_timestamp())
  from due where n.id = due.id

-- name: settle_leases
with due as (
    select lane from leases
     where owner is not null and until_utc > '-infinity' and (until_utc <= clock_timestamp() or renewed_utc > clock_timestamp())
       for update skip locked)
update leases l
   set until_utc = case when l.until_utc <= clock_timestamp() then '-infinity' else clock_timestamp() + (l.until_utc - l.renewed_utc) end,
       renewed_utc = least(l.renewed_utc, clock_timestamp())
  from due where l.lane = due.lane

-- name: renew_lightly
set synchronous_commit = off

-- name: view_cluster
select lanes, (select coalesce(max(number), 0) from definitions), secret from cluster

-- name: view_nodes
select id, name, started_utc, left_utc is null and until_utc > clock_timestamp(), address
  from nodes where renewed_utc > clock_timestamp() - interval '1 minute' order by started_utc, id

-- name: view_lanes
select l.lane, s.owner, case when s.owner is null or s.until_utc = '-infinity' then interval '0' else s.until_utc - clock_timestamp() end, l.last_sequence, o.epoch
  from lane_ends l join lanes o on o.lane = l.lane left join leases s on s.lane = l.lane order by l.lane

-- name: claim_lanes
-- What another transaction is at, a renewal or a flush that has not ended, is left for the next claim: nobody waits here.
with free as (
    select s.lane
      from leases s join lanes l on l.lane = s.lane
     where s.lane = any ($2) and (s.owner is null or s.until_utc <= clock_timestamp()) and exists (select from nodes where id = $1 and left_utc is null)
     order by s.lane for update of s, l skip locked),
claimed as (
    update leases s set owner = $1, until_utc = clock_timestamp() + $3, renewed_utc = clock_timestamp() from free where s.lane = free.lane returning s.lane)
update lanes l set epoch = l.epoch + 1 from claimed where l.lane = claimed.lane returning l.lane

-- name: end_sessions
-- An owner that was stopped while it sent a flush holds the lane's row until its session ends. Its lease is over: nothing of that flush may be committed.
select pg_terminate_backend(s.session)
  from leases s join pg_stat_activity a on a.pid = s.session and a.backend_start = s.session_start and a.state <> 'idle'
 where s.lane = any ($1) and s.owner is not null and s.until_utc <= clock_timestamp()

-- name: release_lanes
update leases set owner = null, until_utc = clock_timestamp() where owner = $1 and lane = any ($2)

-- name: publish_node
with published as (update nodes set address = $2 where id = $1)
update cluster set secret = $3 where secret is null

-- name: leave_cluster
with freed as (update leases set owner = null, until_utc = clock_timestamp() where owner = $1)
update nodes set left_utc = clock_timestamp() where id = $1

-- name: count_lanes
select coalesce(max(lane) + 1, 0) from lanes

-- name: read_stream_ends
select lane, last_sequence from lane_ends
