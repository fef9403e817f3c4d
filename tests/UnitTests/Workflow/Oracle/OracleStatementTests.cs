namespace UnitTests.Workflow.Oracle;

/// <summary>What can be seen of the statements without a server: most of the traps of this dialect.</summary>
public sealed partial class OracleStatementTests
{
    // Words that the server accepts as no name and no bind variable (V$RESERVED_WORDS, RESERVED = 'Y').
    private static readonly HashSet<string> Reserved = new(StringComparer.Ordinal)
    {
        "access", "add", "all", "alter", "and", "any", "as", "asc", "audit", "between", "by", "char", "check",
        "cluster",
        "column",
        "comment", "compress",
        "connect", "create", "current", "date", "decimal", "default", "delete", "desc", "distinct", "drop", "else",
        "exclusive", "exists",
        "file", "float",
        "for", "from", "grant", "group", "having", "identified", "immediate", "in", "increment", "index", "initial",
        "insert", "integer",
        "intersect",
        "into", "is", "level", "like", "lock", "long", "maxextents", "minus", "mlslabel", "mode", "modify", "noaudit",
        "nocompress", "not",
        "nowait",
        "null", "number", "of", "offline", "on", "online", "option", "or", "order", "pctfree", "prior", "public", "raw",
        "rename",
        "resource", "revoke",
        "row", "rowid", "rownum", "rows", "select", "session", "set", "share", "size", "smallint", "start",
        "successful",
        "synonym",
        "sysdate", "table",
        "then", "to", "trigger", "uid", "union", "unique", "update", "user", "validate", "values", "varchar",
        "varchar2",
        "view",
        "whenever", "where", "with",
        "partition", "type", "key", "sequence", "groups",
    };

    public static TheoryData<string> Statements => [.. OracleSql.Statements.Keys];

    public static TheoryData<string> AllStatements => [.. OracleSql.AllStatements.Keys];

    [Theory]
    [MemberData(nameof(AllStatements))]
    public void Block_ends_with_a_semicolon_and_a_plain_statement_without(string name)
    {
        var text = OracleSql.Bare(OracleSql.AllStatements[name], keepTexts: false).Trim();
        var isBlock =
            text.StartsWith("begin", StringComparison.Ordinal) || text.StartsWith("declare", StringComparison.Ordinal);

        Assert.DoesNotContain("\n/", text, StringComparison.Ordinal);
        Assert.Equal(isBlock, text.EndsWith("end;", StringComparison.Ordinal));
        Assert.Equal(isBlock, text.Contains(';', StringComparison.Ordinal));
    }

    [Theory]
    [MemberData(nameof(AllStatements))]
    public void Bind_variables_avoid_reserved_words(string name) =>
        Assert.All(OracleSql.Binds(OracleSql.AllStatements[name]),
            bind => Assert.StartsWith("p_", bind, StringComparison.Ordinal));

    [Theory]
    [MemberData(nameof(Statements))]
    public void Errors_in_a_document_are_errors_of_the_statement(string name)
    {
        var text = OracleSql.AllStatements[name];
        Assert.Equal(Count(text, "json_table("), Count(text, "error on error columns ("));
    }

    [Fact]
    public void Flush_has_one_durable_commit_at_its_end()
    {
        var text = OracleSql.Bare(OracleSql.Statement("flush"), keepTexts: false);

        Assert.Equal(1, Count(text, "commit"));
        var tail = text[text.IndexOf("commit", StringComparison.Ordinal)..];
        Assert.Equal(["commit write immediate wait;", "exception", "when others then", "rollback;", "raise;", "end;"],
            tail.Split('\n')
            .Select(l => l.Trim()).Where(l => l.Length > 0));
        Assert.DoesNotContain("execute immediate", text, StringComparison.Ordinal);
        Assert.Equal(1, Count(text, ":p_batch"));
    }

    [Fact]
    public void Every_change_of_a_flush_is_guarded_by_its_row_count()
    {
        var text = OracleSql.Bare(OracleSql.Statement("flush"), keepTexts: false);
        var body = text[text.IndexOf(
            "update lanes", StringComparison.Ordinal)..text.IndexOf("commit", StringComparison.Ordinal)];
        var statements = body.Split(';').Select(s => s.Trim()).Where(s => s.Length > 0).ToList();
        var changes = statements.Index().Where(s => Change().IsMatch(s.Item)).ToList();

        Assert.Equal(27, changes.Count); // The lane, 22 lists, and the second halves of four moves between tables.
        Assert.All(
            changes, change => Assert.Contains("sql%rowcount", statements[change.Index + 1], StringComparison.Ordinal));
    }

    [Fact]
    public void Every_dequeue_waits_a_bounded_time()
    {
        var text = OracleSql.Bare(OracleSql.Statement("dequeue"), keepTexts: false);

        Assert.Equal(["v_options.wait := :p_wait_seconds", "v_options.wait := dbms_aq.no_wait"],
            Wait().Matches(text).Select(m => m.Value));
        Assert.True(
            text.IndexOf("v_options.wait", StringComparison.Ordinal)
                < text.IndexOf("dbms_aq.dequeue(", StringComparison.Ordinal),
            "without a wait the default is forever");
        Assert.DoesNotContain(
            "forever", string.Concat(OracleSql.Statements.Values), StringComparison.OrdinalIgnoreCase);
    }

    [Theory]
    [InlineData("trim_events")]
    [InlineData("trim_keys")]
    [InlineData("trim_replies")]
    [InlineData("trim_dead_letters")]
    public void Retention_waits_for_no_row_and_finds_what_is_old_by_an_index(string name)
    {
        var text = OracleSql.Bare(OracleSql.Statement(name), keepTexts: false);
        var old = Old().Match(text);

        Assert.Equal(1, Count(text, "for update skip locked"));
        Assert.Equal(1, Count(text, "commit;"));
        Assert.Contains(
            OracleSql.SchemaStatements,
            statement =>
                Regex.IsMatch(statement, $@"^create index \w+ on {old.Groups["table"]} \({old.Groups["column"]}\)$")
                || (statement.StartsWith($"create table {old.Groups["table"]} (", StringComparison.Ordinal)
                    && statement.Contains($"primary key ({old.Groups["column"]}, ", StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData("instances", "correlation_key, id")]
    [InlineData("dormant_instances", "correlation_key, id")]
    [InlineData("dormant_instances", "next_due_utc, id, partition_no")]
    [InlineData("finished_instances", "correlation_key, id")]
    [InlineData("finished_instances", "state, id")]
    public void List_by_a_filter_that_few_pass_has_an_index(string table, string columns) => Assert.Contains(
        OracleSql.SchemaStatements,
        statement => Regex.IsMatch(statement, $@"^create index \w+ on {table} \({columns}\)"));

    [Theory]
    [InlineData("list_instances", 3)]
    [InlineData("list_tasks", 1)]
    [InlineData("list_dead_letters", 1)]
    public void Each_filter_of_a_list_is_an_independent_line(string name, int tables)
    {
        var lines =
            OracleSql.Bare(OracleSql.Statement(name), keepTexts: false).Split('\n').Select(l => l.Trim()).ToList();
        var filters = lines.Where(l => l.Contains(":p_", StringComparison.Ordinal)
            && !l.Contains(":p_limit", StringComparison.Ordinal)
            && !l.Contains(":p_replayed", StringComparison.Ordinal))
            .ToList();

        Assert.NotEmpty(filters);
        Assert.All(filters, line =>
        {
            Assert.StartsWith("and ", line, StringComparison.Ordinal);
            Assert.Single(OracleSql.Binds(line));
            Assert.DoesNotContain(" null", line, StringComparison.Ordinal);
        });
        Assert.All(filters.GroupBy(l => OracleSql.Binds(l).Single()), same => Assert.Equal(tables, same.Count()));
        Assert.Equal(tables, lines.Count(l => l.StartsWith("where ", StringComparison.Ordinal)));
    }

    [Fact]
    public void Claim_locks_lane_and_lease_without_waiting()
    {
        var text = OracleSql.Bare(OracleSql.Statement("claim_lanes"), keepTexts: false);

        Assert.Equal(1, Count(text, "for update of s.lane, l.lane skip locked;"));
        Assert.True(
            text.IndexOf("skip locked", StringComparison.Ordinal)
                < text.IndexOf("update leases", StringComparison.Ordinal),
            "an update would wait for whoever has the row");
    }

    [Fact]
    public void Definition_gets_the_next_number_under_a_lock()
    {
        var text = OracleSql.Bare(OracleSql.Statement("add_definition"), keepTexts: false);
        string[] parts = ["from cluster_state where id = 1 for update;", "max(definition_no), 0) + 1",
            "insert into definitions ", "commit "];
        var places = parts.Select(part => text.IndexOf(part, StringComparison.Ordinal)).ToList();

        Assert.Equal(places.Order(), places);
        Assert.DoesNotContain(-1, places);
        Assert.Contains(
            "create unique index definitions_by_number on definitions (definition_no)", OracleSql.SchemaStatements);
        Assert.All(["view_cluster", "load_definitions"], name =>
            Assert.DoesNotContain("count(", OracleSql.Statement(name), StringComparison.Ordinal));
    }

    [Fact]
    public void Drop_of_a_user_with_ending_sessions_is_repeated()
    {
        var text = OracleSql.Bare(OracleSql.AllStatements["drop_user"], keepTexts: true);

        Assert.Matches(
            @"(?s)for attempt in 1 \.\. 20 loop.*drop user.*sqlcode <> -1940 or attempt = 20.*raise.*dbms_session\.sleep", text);
    }

    [Fact]
    public void No_table_or_column_has_a_reserved_name()
    {
        Assert.Equal(19, OracleSql.Tables.Count);
        Assert.All(OracleSql.Tables, table =>
        {
            Assert.NotEmpty(table.Value);
            Assert.DoesNotContain(table.Key, Reserved);
            Assert.Empty(table.Value.Intersect(Reserved));
        });
    }

    [Theory]
    [MemberData(nameof(Statements))]
    public void Columns_that_are_inserted_are_those_of_the_table(string name) =>
        Assert.All(Insert().Matches(OracleSql.Bare(OracleSql.AllStatements[name], keepTexts: true)), insert =>
        {
            if (insert.Groups[1].Value != "wake_listeners")
            {
                var columns = insert.Groups[2].Value.Split(',', StringSplitOptions.TrimEntries);
                Assert.Subset(OracleSql.Tables[insert.Groups[1].Value].ToHashSet(), columns.ToHashSet());
            }
        });

    [Theory]
    [MemberData(nameof(Statements))]
    public void Columns_that_are_read_are_those_of_the_table(string name)
    {
        var selects = Select().Matches(OracleSql.Bare(OracleSql.AllStatements[name], keepTexts: true))
            .Where(select => select.Groups["table"].Value is not ("json_table" or "wake_listeners"));
        Assert.All(selects, select =>
        {
            var columns = select.Groups["columns"].Value.Split(" into ")[0].Split(',', StringSplitOptions.TrimEntries)
                .Select(c => c[(c.IndexOf('.', StringComparison.Ordinal) + 1)..]).Except(["null", "rowid"]);
            Assert.Subset(OracleSql.Tables[select.Groups["table"].Value].ToHashSet(), columns.ToHashSet());
        });
    }

    [Fact]
    public void Schema_can_be_run_again()
    {
        Assert.True(OracleSql.SchemaStatements.Count > 15);
        Assert.All(OracleSql.SchemaStatements, statement =>
            Assert.Matches(
                @"^(create table |create (unique )?index |drop table |insert into [^;]* where not exists "
                    + @"|alter table \w+ (add \(\w+ [^,]+|add constraint \w+ check [^,]+|modify \(\w+ not null)\)$"
                    + @"|merge into \w+ \w+\s+using [^;]* where \w+\.(?<filled>\w+) is null\) [^;]* set \w+\.\k<filled> = )",
                statement));
        Assert.All(
            OracleSql.SchemaStatements, statement => Assert.DoesNotContain(";", statement, StringComparison.Ordinal));
    }

    private static int Count(string text, string part) => text.Split(part).Length - 1;

    [GeneratedRegex(@"(?:^|\bthen\s+)(?:insert|update|delete|merge)\b")]
    private static partial Regex Change();

    [GeneratedRegex(@"\bv_options\.wait := [:\w.]+")]
    private static partial Regex Wait();

    [GeneratedRegex(@"insert into (\w+)\s+\(([\w,\s]+)\)")]
    private static partial Regex Insert();

    [GeneratedRegex(@"from (?<table>\w+)(?: e)?\s+where (?:e\.)?(?<column>\w+) [<=]")]
    private static partial Regex Old();

    [GeneratedRegex(@"^\s*select (?<columns>[\w.,\s]+?)\s+from (?<table>\w+)\b", RegexOptions.Multiline)]
    private static partial Regex Select();
}
