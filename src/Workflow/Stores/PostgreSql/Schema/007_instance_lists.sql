-- Lists of finished instances, without a price for the commit that finishes one.

-- What completes is listed by its id alone. Only what failed or was cancelled pays for an index entry.
create index if not exists finished_by_state on finished_instances (state, id) where state in (4, 5);

-- A Bloom filter of the keys of each 8 pages, less than 2 bytes an instance, made once the pages are full (`summarize_finished`): until then an
-- insert finds no filter and writes nothing. Not by autosummarize, whose requests overflow where pages fill faster than vacuums run, nor by
-- brin_summarize_new_values, whose filter of the last, half-empty pages each insert would change.
create index if not exists finished_by_key on finished_instances
    using brin (correlation_key text_bloom_ops (n_distinct_per_range = 120, false_positive_rate = 0.001)) with (pages_per_range = 8);
