select name, version, content_hash, body, registered_utc from definitions where name = :p_name and version = :p_version
