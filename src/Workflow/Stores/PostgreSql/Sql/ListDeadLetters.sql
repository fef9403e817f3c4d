select id, partition, kind, subject_id, instance_id, reason, attempts, payload, created_utc, last_attempt_utc, replayed_utc, applied
  from dead_letters
 where (replayed_utc is not null) = $1
   and ($2::smallint is null or kind = $2)
   and ($3::uuid is null or instance_id = $3)
   and ($4::uuid is null or id > $4)
 order by id
 limit $5
