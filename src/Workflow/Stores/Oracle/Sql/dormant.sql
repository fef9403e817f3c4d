-- name: find_dormant
select d.id, d.partition_no, d.definition, d.definition_version, d.revision, d.state, d.correlation_key, d.body, d.created_utc, d.updated_utc
  from dormant_instances d
 where d.id in (
        select /*+ cardinality(j 10) */ hextoraw(j.id)
          from json_table(:p_instances, '$[*]' error on error columns (
              id varchar2(32) path '$.id')) j
        union
        select t.instance_id
          from tasks t
         where t.state = 0
           and t.id in (
            select /*+ cardinality(j 10) */ hextoraw(j.id)
              from json_table(:p_tasks, '$[*]' error on error columns (
                  id varchar2(32) path '$.id')) j)
        union
        select w.instance_id
          from dormant_waits w
         where w.slot_no in (
            select /*+ cardinality(j 10) */ j.slot_no
              from json_table(:p_slots, '$[*]' error on error columns (slot_no number(19) path '$')) j))
   and mod(d.partition_no, :p_lane_count) = :p_lane

-- name: read_due
select id, partition_no, definition, definition_version, revision, state, correlation_key, body, created_utc, updated_utc, next_due_utc
  from dormant_instances
 where next_due_utc between to_timestamp(:p_after_utc, 'YYYY-MM-DD"T"HH24:MI:SS.FF') and to_timestamp(:p_until_utc, 'YYYY-MM-DD"T"HH24:MI:SS.FF')
   and (next_due_utc > to_timestamp(:p_after_utc, 'YYYY-MM-DD"T"HH24:MI:SS.FF') or id > :p_after_id)
   and mod(partition_no, :p_lane_count) = :p_lane
 order by next_due_utc, id
 fetch first :p_limit rows only

-- name: read_slots
select slot_no from dormant_waits where slot_no between :p_first and :p_last order by slot_no fetch first :p_limit rows only
