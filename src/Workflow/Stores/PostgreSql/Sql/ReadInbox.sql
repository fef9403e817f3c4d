select id, partition, kind, body, position
  from messages where partition % $1 = any ($2) order by position limit $3
