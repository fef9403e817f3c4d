select current, insisting from join_cluster($1, $2, $3, $4)
