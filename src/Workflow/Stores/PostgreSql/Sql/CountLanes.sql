select coalesce(max(lane) + 1, 0) from lanes
