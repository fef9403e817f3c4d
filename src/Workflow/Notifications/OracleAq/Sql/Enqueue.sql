-- One message for all other listeners that were there in the last quarter of a minute; none where there is none. It is worth nothing
-- after ten seconds. p_sent tells for how many listeners.
declare
    v_options    dbms_aq.enqueue_options_t;
    v_properties dbms_aq.message_properties_t;
    v_recipients dbms_aq.aq$_recipient_list_t;
    v_message_id raw(16);
    v_count      pls_integer := 0;
begin
    for other in (
        select w.listener
          from wake_listeners w
         where w.listener <> :p_listener and w.seen_utc > sys_extract_utc(systimestamp) - interval '15' second)
    loop
        v_count := v_count + 1;
        v_recipients(v_count) := sys.aq$_agent(other.listener, null, null);
    end loop;
    if v_count > 0 then
        v_options.visibility := dbms_aq.immediate;
        v_properties.delay := :p_delay_seconds;
        v_properties.expiration := 10;
        v_properties.recipient_list := v_recipients;
        dbms_aq.enqueue(
            queue_name => 'WAKE_HINTS', enqueue_options => v_options, message_properties => v_properties,
            payload => utl_raw.cast_to_raw(:p_lanes), msgid => v_message_id);
    end if;
    :p_sent := v_count;
end;
