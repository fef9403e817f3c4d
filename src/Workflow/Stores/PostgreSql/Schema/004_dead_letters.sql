-- Work that was accepted and could not be applied. What it stood for (a signal, a message) was removed in the commit that added the letter; a
-- timer or an activity result names the wait, which stays in its instance.
-- kind: 0 signal, 1 timer, 2 message, 3 activity
create table if not exists dead_letters (
    id               uuid primary key,
    partition        smallint not null check (partition between 0 and 63),
    kind             smallint not null check (kind between 0 and 3),
    subject_id       uuid not null,
    instance_id      uuid,
    reason           text not null,
    attempts         integer not null check (attempts >= 1),
    payload          text not null,
    created_utc      timestamptz not null,
    last_attempt_utc timestamptz not null,
    replayed_utc     timestamptz,
    applied          boolean,
    check ((replayed_utc is null) = (applied is null))
);

create index if not exists dead_letters_open on dead_letters (id) where replayed_utc is null;
