with changed as (
    update dead_letters d
       set reason = u.reason, attempts = u.attempts, last_attempt_utc = u.last_attempt_utc, applied = u.applied,
           replayed_utc = case when u.applied is null then null else u.last_attempt_utc end
      from unnest($1::uuid[], $2::text[], $3::integer[], $4::timestamptz[], $5::boolean[]) as u (id, reason, attempts, last_attempt_utc, applied)
     where d.id = u.id and d.replayed_utc is null
    returning 1)
select expect_rows((select count(*) from changed), cardinality($1), 'changed dead letters')
