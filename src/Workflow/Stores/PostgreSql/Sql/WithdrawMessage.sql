delete from messages where id = $1 returning id
