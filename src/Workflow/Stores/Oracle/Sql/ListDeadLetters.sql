select id, partition_no, kind, subject_id, instance_id, reason, attempts, payload, created_utc, last_attempt_utc, replayed_utc, applied
  from dead_letters
 where nvl2(replayed_utc, 1, 0) = :p_replayed
   and (:p_kind is null or kind = :p_kind)
   and (:p_instance_id is null or instance_id = :p_instance_id)
   and (:p_after is null or id > :p_after)
 order by id
 fetch first :p_limit rows only
