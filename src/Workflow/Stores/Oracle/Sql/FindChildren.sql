select child_id from children where parent_id = :p_parent_id order by child_id fetch first :p_limit rows only
