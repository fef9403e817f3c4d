-- The inbox of a partition also holds suspensions, resumptions, retries and registrations that reached another node than the owner.

alter table messages drop constraint if exists messages_kind_check;
alter table messages add constraint messages_kind_check
    check (kind in ('subscribe', 'unsubscribe', 'deliver', 'return', 'signal', 'start', 'cancel', 'assign', 'complete', 'replay', 'suspend',
                    'resume', 'retry', 'register'));
