with moved as (
    update lanes
       set last_batch = $3, last_sequence = $4, published_sequence = $5
     where lane = $1 and epoch = $2 and last_batch = $3 - 1
    returning 1)
select expect_lane((select count(*) from moved), $1, $2)
