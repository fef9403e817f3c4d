delete from dead_letters where replayed_utc < $1
