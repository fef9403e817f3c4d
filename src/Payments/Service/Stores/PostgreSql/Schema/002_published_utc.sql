alter table payments rename column told_utc to published_utc;
