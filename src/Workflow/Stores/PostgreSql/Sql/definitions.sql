-- name: add_definition
-- The empty update waits for a concurrent insert of the same version and then returns its row, which a snapshot taken before would not show.
insert into definitions (name, version, content_hash, body, registered_utc) values ($1, $2, $3, $4, $5)
on conflict (name, version) do update set name = definitions.name
returning name, version, content_hash, body, registered_utc, number

-- name: load_definitions
select name, version, content_hash, body, registered_utc, number from definitions where number > $1 order by number
