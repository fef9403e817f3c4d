select lanes, (select count(*)::integer from definitions) from cluster
