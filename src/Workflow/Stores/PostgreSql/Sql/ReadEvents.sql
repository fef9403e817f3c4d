select stream, sequence, type, definition, body, created_utc
  from events where stream = $1 and sequence > $2 order by sequence limit $3
