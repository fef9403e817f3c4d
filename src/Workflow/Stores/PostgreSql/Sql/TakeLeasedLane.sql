with mine as (
    update leases
       set session = pg_backend_pid(), session_start = (select backend_start from pg_stat_activity where pid = pg_backend_pid())
     where lane = $1 and owner = $2
    returning lane)
update lanes l set epoch = l.epoch + 1 from mine where l.lane = mine.lane
returning l.epoch, l.last_batch, l.last_sequence, l.published_sequence
