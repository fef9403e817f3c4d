-- name: create_queue
-- May be run again, and by several nodes at once: what is there already is left as it is. Changes of tables commit by themselves.
-- A message is for the listeners that are alive when it is sent; wake_listeners says which, so that no subscription outlives a node.
declare
    e_queue_table_exists exception;
    pragma exception_init(e_queue_table_exists, -24001);
    e_queue_exists exception;
    pragma exception_init(e_queue_exists, -24006);
    e_name_taken exception;
    pragma exception_init(e_name_taken, -955);
begin
    begin
        dbms_aqadm.create_queue_table(
            queue_table => 'WAKE_HINTS_TABLE', queue_payload_type => 'RAW', multiple_consumers => true);
    exception
        when e_queue_table_exists or e_name_taken then
            null;
    end;
    begin
        dbms_aqadm.create_queue(queue_name => 'WAKE_HINTS', queue_table => 'WAKE_HINTS_TABLE', max_retries => 2);
    exception
        when e_queue_exists then
            null;
    end;
    dbms_aqadm.start_queue(queue_name => 'WAKE_HINTS');
    begin
        execute immediate '
            create table wake_listeners (
                listener varchar2(30) not null primary key,
                seen_utc timestamp(7) not null)';
    exception
        when e_name_taken then
            null;
    end;
end;

-- name: listen
-- Says that the listener is there, forgets those that are not, and clears away notifications that nobody took in time.
declare
    v_purge dbms_aqadm.aq$_purge_options_t;
begin
    merge into wake_listeners w
    using (select :p_listener as listener, sys_extract_utc(systimestamp) as seen_utc from dual) n
       on (w.listener = n.listener)
     when matched then
        update set w.seen_utc = n.seen_utc
     when not matched then
        insert (listener, seen_utc) values (n.listener, n.seen_utc);
    delete from wake_listeners where seen_utc < sys_extract_utc(systimestamp) - interval '1' minute;
    commit;
    v_purge.block := false;
    dbms_aqadm.purge_queue_table(
        queue_table => 'WAKE_HINTS_TABLE', purge_condition => 'qtview.msg_state = ''EXPIRED''', purge_options => v_purge);
end;

-- name: enqueue
-- One message for all other listeners that were there in the last quarter of a minute; none where there is none. It is worth nothing
-- after ten seconds. p_sent says for how many listeners.
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

-- name: dequeue
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
