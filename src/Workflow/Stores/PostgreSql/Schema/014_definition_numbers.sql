-- Definitions in the order of their commits: a node looks for the highest number, and reads those above the last that it has read.

alter table definitions add column if not exists number bigint;
update definitions d
   set number = n.number
  from (select name, version, row_number() over (order by registered_utc, name, version) as number from definitions) n
 where d.name = n.name and d.version = n.version;
alter table definitions alter column number set not null;
create unique index if not exists definitions_by_number on definitions (number);

-- Whoever adds one holds the lock until its commit: no number can be seen before those below it. Here and not in the engine's statement, so that
-- engines of earlier builds that still run give numbers too.
create or replace function number_definition() returns trigger
language plpgsql as $$
begin
    perform pg_advisory_xact_lock(hashtextextended('workflow definitions of ' || tg_table_schema, 0));
    select coalesce(max(number), 0) + 1 into new.number from definitions;
    return new;
end $$;

create or replace trigger number_definition before insert on definitions for each row execute function number_definition();
