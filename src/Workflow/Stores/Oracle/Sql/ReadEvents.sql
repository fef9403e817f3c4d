select stream_no, sequence_no, event_type, definition, body, created_utc
  from events where stream_no = :p_stream and sequence_no > :p_after order by sequence_no fetch first :p_limit rows only
