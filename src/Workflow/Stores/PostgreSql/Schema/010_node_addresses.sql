-- Where nodes reach one another, and the secret by which they know that they share this schema.

alter table nodes add column if not exists address text;
alter table cluster add column if not exists secret text;
