select history from instances where id = $1
union all
select history from finished_instances where id = $1
