-- Definitions in the order of their commits: a node looks for the highest number, and reads those above the last that it has read.
alter table definitions add (definition_no number(19))
/

merge into definitions d
using (select o.name, o.version, m.last_no + row_number() over (order by o.registered_utc, o.name, o.version) as definition_no
         from definitions o cross join (select coalesce(max(definition_no), 0) as last_no from definitions) m
        where o.definition_no is null) n
   on (d.name = n.name and d.version = n.version)
 when matched then update set d.definition_no = n.definition_no
/

-- An engine of an earlier build gives no number: from here on it is refused, and what it would register is missed by nobody.
alter table definitions modify (definition_no not null)
/

create unique index definitions_by_number on definitions (definition_no)
/
