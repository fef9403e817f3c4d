with added as (
    insert into definitions (name, version, content_hash, body, registered_utc) values ($1, $2, $3, $4, $5)
    on conflict do nothing
    returning name, version, content_hash, body, registered_utc)
select * from added
union all
select name, version, content_hash, body, registered_utc from definitions where name = $1 and version = $2
limit 1
