insert into children (parent_id, child_id)
select * from unnest($1::uuid[], $2::uuid[])
