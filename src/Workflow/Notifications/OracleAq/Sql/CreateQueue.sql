-- May be run again, and by several nodes at once: what is there already is left as it is. Changes of tables commit by themselves.
-- A message is for the listeners that are alive when it is sent; wake_listeners tells which, so that no subscription outlives a node.
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
