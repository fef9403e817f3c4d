-- Waits for one message, a bounded time, then takes what else is there; 32 at most, so that the answer fits. p_lanes is null after a wait
-- in vain.
declare
    e_no_message exception;
    pragma exception_init(e_no_message, -25228);
    v_options    dbms_aq.dequeue_options_t;
    v_properties dbms_aq.message_properties_t;
    v_payload    raw(2000);
    v_message_id raw(16);
    v_lanes      varchar2(32767);
begin
    update wake_listeners set seen_utc = sys_extract_utc(systimestamp) where listener = :p_listener;
    if sql%rowcount = 0 then
        insert into wake_listeners (listener, seen_utc) values (:p_listener, sys_extract_utc(systimestamp));
    end if;
    commit write batch nowait;
    v_options.consumer_name := :p_listener;
    v_options.dequeue_mode := dbms_aq.remove;
    v_options.navigation := dbms_aq.first_message;
    v_options.visibility := dbms_aq.immediate;
    v_options.wait := :p_wait_seconds;
    for taken in 1 .. 32 loop
        begin
            dbms_aq.dequeue(
                queue_name => 'WAKE_HINTS', dequeue_options => v_options, message_properties => v_properties,
                payload => v_payload, msgid => v_message_id);
        exception
            when e_no_message then
                exit;
        end;
        v_lanes := v_lanes || ',' || utl_raw.cast_to_varchar2(v_payload);
        v_options.wait := dbms_aq.no_wait;
    end loop;
    :p_lanes := v_lanes;
end;
