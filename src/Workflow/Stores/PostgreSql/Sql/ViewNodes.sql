select id, name, started_utc, left_utc is null and until_utc > clock_timestamp()
  from nodes where until_utc > clock_timestamp() - interval '1 minute' order by started_utc, id
