lock table schema_versions in exclusive mode wait 25
