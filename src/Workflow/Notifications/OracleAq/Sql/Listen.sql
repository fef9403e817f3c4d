-- Says that the listener is there, forgets those that are not, and clears away hints that nobody took in time.
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
