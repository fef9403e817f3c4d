-- name: count_instances
-- Instances by state, in the numbers of the schema: 0 running, 1 waiting, 2 suspended, 3 completed, 4 failed, 5 cancelled.
select state::int, count(*) from live_instances group by state
union all
select state::int, count(*) from finished_instances group by state;

-- name: count_broken_rules
-- Kinds of pending row: 0 signal (n name, y correlation key, i instance, d due), 1 subscription, 2 message.
-- What must not be found while the engine is idle: one row a rule, with the number of rows that break it.
-- Kinds of wait: 0 signal, 1 delay, 2 activity, 3 task, 4 call. A dead letter explains the wait it was for. Due instants are .NET ticks; one that is
-- over by less than a second may be on its way.
with waits as (
    select i.id, i.state, w ->> 'i' as wait_id, w ->> 's' as step, (w ->> 'k')::int as kind, w ->> 'n' as name, w ->> 'y' as correlation_key,
           coalesce(w ->> 'r', w ->> 'd')::numeric < (extract(epoch from clock_timestamp()) - 1) * 1e7 + 621355968000000000 as overdue
    from live_instances i
    left join lateral json_array_elements(i.body::json -> 'w') w on true
),
signals as (
    select body::json ->> 'n' as name, body::json ->> 'y' as correlation_key, (body::json ->> 'i')::uuid as instance_id,
           (body::json ->> 'd')::timestamptz as due_utc
    from pending where kind = 0
)
select 'unexplainedInstances' as rule, count(distinct id) as broken
from waits
where state <> 2 and (kind is null or overdue or (kind = 2 and overdue is null)
    or (kind = 3 and not exists (select from tasks t where t.id::text = wait_id and t.instance_id = waits.id and t.state = 0))
    or (kind = 4 and not exists (select from live_instances c where c.id::text = wait_id)))
  and not exists (select from dead_letters d where d.replayed_utc is null and d.subject_id::text = wait_id)
union all
select 'undeliveredSignals', count(*)
from signals s
where (s.due_utc is null and exists (
        select from waits w where w.kind = 0 and w.name = s.name and (w.correlation_key = s.correlation_key or w.id = s.instance_id)))
   or s.due_utc < clock_timestamp() - interval '1 second'
   or (s.instance_id is not null and not exists (select from live_instances i where i.id = s.instance_id))
union all
select 'undeliveredMessages', count(*) from pending where kind = 2
union all
select 'orphanSubscriptions', count(*)
from pending s
where s.kind = 1 and not exists (select from waits w where w.wait_id = s.id::text)
union all
select 'orphanTasks', count(*)
from tasks t
where t.state = 0 and not exists (select from waits w where w.kind = 3 and w.id = t.instance_id and w.step = t.step)
union all
select 'duplicateTasks', count(*)
from tasks t
where t.state = 0 and exists (select from waits w where w.kind = 3 and w.id = t.instance_id and w.step = t.step)
  and not exists (select from waits w where w.kind = 3 and w.wait_id = t.id::text)
union all
select 'orphanChildren', count(*)
from live_instances c
where c.body::json ->> 'p' is not null
  and not exists (select from waits w where w.kind = 4 and w.id::text = c.body::json ->> 'p' and w.wait_id = c.id::text)
union all
select 'orphanDormantWaits', count(*)
from dormant_waits w
where not exists (select from dormant_instances d where d.id = w.instance_id);
