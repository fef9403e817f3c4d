insert into lanes (lane, epoch) values ($1, 1)
on conflict (lane) do update set epoch = lanes.epoch + 1
returning epoch, last_batch, last_sequence, published_sequence
