select pg_try_advisory_lock(hashtextextended('workflow engine on schema ' || current_setting('search_path'), 0))
