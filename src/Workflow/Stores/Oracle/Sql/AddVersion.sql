insert into schema_versions (version, applied_utc) values (:p_version, sys_extract_utc(systimestamp))
