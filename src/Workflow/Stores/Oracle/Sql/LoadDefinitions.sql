select name, version, content_hash, body, registered_utc from definitions order by name, version
