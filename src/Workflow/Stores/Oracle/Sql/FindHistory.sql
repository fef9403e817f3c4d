select history from instances where id = :p_id
union all
select history from finished_instances where id = :p_id
