with mine as (select lane from leases where lane = $1 and owner = $2 for share)
update lanes l set epoch = l.epoch + 1 from mine where l.lane = mine.lane
returning l.epoch, l.last_batch, l.last_sequence, l.published_sequence
