select id, partition, kind, body, position
  from messages where partition % $1 = $2 order by position
