delete from events e using lanes l where l.lane = e.stream and e.sequence <= l.published_sequence and e.created_utc < $1
