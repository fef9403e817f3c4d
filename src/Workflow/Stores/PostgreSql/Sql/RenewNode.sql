update nodes set until_utc = clock_timestamp() + $2 where id = $1 and left_utc is null
