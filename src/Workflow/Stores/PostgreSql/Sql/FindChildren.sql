select child_id from children where parent_id = $1 order by child_id limit $2
