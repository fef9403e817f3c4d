select lane, last_sequence from lanes
