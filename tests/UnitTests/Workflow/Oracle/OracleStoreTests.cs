using System.Data.Common;
using Workflow.Contracts.DeadLetters;
using Workflow.Stores.Oracle;

namespace UnitTests.Workflow.Oracle;

public sealed class OracleStoreTests
{
    private const string ConnectionString = "Data Source=127.0.0.1:1521/FREEPDB1;User Id=workflow;Password=hush";

    private static readonly DateTime Stored = new(2026, 3, 4, 5, 6, 7, 891, 234);
    private static readonly byte[] RawId = Convert.FromHexString("01A1FD55BEE87ECAA8B8844F780C7D08");
    private static readonly Guid Id = Guid.Parse("01a1fd55-bee8-7eca-a8b8-844f780c7d08");

    [Fact]
    public void Host_finds_the_store_and_its_notifications_by_their_adapters()
    {
        var adapter = new OracleAdapter();

        Assert.Equal(("Native", adapter.Provider), (new OracleAqAdapter().Provider, new OracleAqAdapter().Store));
        Assert.Contains("that of the user", adapter.SchemaUnsupportedReason, StringComparison.Ordinal);
        Assert.Null(adapter.FindConnectionProblem(ConnectionString));
        Assert.Contains(
            "key=value", adapter.FindConnectionProblem("oracle://workflow:hush@h"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Open_creates_the_tables_once_under_the_lock()
    {
        var oracle = new FakeOracle { Answer = Server() };
        await using var store = Store(oracle);
        await store.OpenAsync(Cancel);

        var names = oracle.Calls.Select(c => c.Name).ToList();
        Assert.Equal(
            [
                "read_server", "is_before_release", "create_versions", "lock_versions", "read_version",
                "wait_for_writers",
                "create table definitions",
            ],
            names[..7]);
        Assert.Equal("add_version", names[^1]);
        Assert.Equal(OracleSql.SchemaStatements.Count, names.Count - 7 - 2); // Two more, between the two files.
        string[] underLock = ["is_before_release", "lock_versions", "read_version", "add_version"];
        Assert.All(oracle.Calls, call => Assert.Equal(underLock.Contains(call.Name), call.IsInTransaction));
        Assert.Equal(0, oracle.Open);
    }

    [Fact]
    public async Task Open_of_a_schema_that_is_up_to_date_changes_nothing()
    {
        var oracle = new FakeOracle { Answer = Server(schema: 2) };
        await using var store = Store(oracle);
        await store.OpenAsync(Cancel);

        Assert.Equal(["read_server", "is_before_release", "create_versions", "lock_versions", "read_version"],
            oracle.Calls.Select(c => c.Name));
    }

    [Fact]
    public async Task Interrupted_migration_is_continued()
    {
        var server = Server();
        var oracle = new FakeOracle
        {
            Answer = call => call.Name switch
            {
                "create_versions" or "create table definitions" or "create table lanes" => FakeAnswer.Failing(955),
                "alter table lanes" => FakeAnswer.Failing(
                    call.Text.Contains(" constraint ", StringComparison.Ordinal) ? 2264 : 1430),
                _ => server(call),
            },
        };
        await using var store = Store(oracle);
        await store.OpenAsync(Cancel);

        Assert.Single(oracle.CallsOf("create table instances"));
        Assert.Equal([1L, 2L], oracle.CallsOf("add_version").Select(call => call.Values["p_version"]));
    }

    [Theory]
    [InlineData("12.2.0.1.0", "AL32UTF8", "'12.2.0.1.0'", "19")]
    [InlineData("23.0.0.0.0", "WE8ISO8859P1", "'WE8ISO8859P1'", "AL32UTF8")]
    public async Task Unsuitable_server_is_refused_with_what_is_needed(
        string version, string characters, string is_, string needed)
    {
        var oracle =
            new FakeOracle { Answer = call => call.Name == "read_server" ? FakeAnswer.Row(version, characters) : null };
        await using var store = Store(oracle);

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.OpenAsync(Cancel));

        Assert.Contains(is_, error.Message, StringComparison.Ordinal);
        Assert.Contains(needed, error.Message, StringComparison.Ordinal);
        Assert.Equal(["read_server"], oracle.Calls.Select(c => c.Name));
    }

    [Fact]
    public async Task Schema_of_a_prerelease_build_is_refused()
    {
        var server = Server();
        var oracle =
            new FakeOracle { Answer = call => call.Name == "is_before_release" ? FakeAnswer.Row(1) : server(call) };
        await using var store = Store(oracle);

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.OpenAsync(Cancel));

        Assert.Contains("before the first release", error.Message, StringComparison.Ordinal);
        Assert.Equal(["read_server", "is_before_release"], oracle.Calls.Select(c => c.Name));
    }

    [Fact]
    public async Task Schema_of_a_newer_build_is_left_alone()
    {
        var oracle = new FakeOracle { Answer = Server(schema: 99) };
        await using var store = Store(oracle);

        Assert.Contains(
            "version 99", (await Assert.ThrowsAsync<StoreUnavailableException>(() => store.OpenAsync(Cancel))).Message,
            StringComparison.Ordinal);
        Assert.DoesNotContain("create table definitions", oracle.Calls.Select(c => c.Name));
    }

    [Theory]
    [InlineData(1017, "Password")]
    [InlineData(12514, "service")]
    [InlineData(12541, "host and port")]
    [InlineData(18, "PROCESSES")]
    [InlineData(1031, "CREATE TABLE")]
    public async Task Unreachable_server_is_named_without_the_password(int number, string notification)
    {
        var oracle = new FakeOracle { Refusal = () => FakeOracle.Error(number) };
        await using var store = Store(oracle);

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.OpenAsync(Cancel));

        Assert.Contains("127.0.0.1:1521/FREEPDB1", error.Message, StringComparison.Ordinal);
        Assert.Contains($"ORA-{number:00000}", error.Message, StringComparison.Ordinal);
        Assert.Contains(notification, error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("hush", error.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Data Source=a;User Id", "list of key=value")]
    [InlineData("User Id=workflow;Password=hush", "Data Source")]
    [InlineData("Data Source=a;Password=hush", "User Id")]
    public void Wrong_connection_string_is_refused_without_the_password(string text, string part)
    {
        var error = Assert.Throws<ArgumentException>(
            () => new OracleStore(new() { ConnectionString = text }, driver: new FakeOracle()));

        Assert.Contains(part, error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("hush", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Without_the_driver_the_error_says_how_to_get_it()
    {
        Assert.SkipWhen(
            Type.GetType("Oracle.ManagedDataAccess.Client.OracleClientFactory, Oracle.ManagedDataAccess") is not null,
            "this build has the driver");
        var error = Assert.Throws<StoreUnavailableException>(
            () => new OracleStore(new() { ConnectionString = ConnectionString }));

        Assert.Contains("-p:Oracle=true", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Only_reads_are_repeated_after_a_server_restart()
    {
        var dead = 3;
        var oracle = new FakeOracle
        {
            Answer = call =>
                call.Name is "find_instance" or "trim_events" && dead-- > 0 ? FakeAnswer.Failing(3113) : null,
        };
        await using var store = Store(oracle);

        Assert.Null(await store.FindInstanceAsync(Id, Cancel));
        Assert.Equal(4, oracle.CallsOf("find_instance").Count);
        dead = 1;
        Assert.True(
            (await Assert.ThrowsAsync<StoreUnavailableException>(
                () => store.TrimAsync(StoreRows.Trim(default, default, default), Cancel))).OutcomeUnknown);
        Assert.Single(oracle.CallsOf("trim_events"));
    }

    [Theory]
    [InlineData(603, true)]
    [InlineData(16456, true)]
    [InlineData(25408, true)]
    [InlineData(60, false)]
    [InlineData(12899, false)]
    public async Task Failed_write_is_unknown_unless_the_server_refused_it(int number, bool isUnknown)
    {
        var oracle = new FakeOracle { Answer = _ => FakeAnswer.Failing(number) };
        await using var store = Store(oracle);

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.Cluster.LeaveAsync(Id, Cancel));

        Assert.Equal(isUnknown, error.OutcomeUnknown);
    }

    [Fact]
    public async Task Full_removal_of_a_kind_says_that_more_may_be_left()
    {
        var oracle = new FakeOracle
        {
            Answer = call => new()
                { Outputs = new Dictionary<string, object?> { ["p_removed"] = call.Name == "trim_keys" ? 7L : 6L } },
        };
        await using var store = Store(oracle);
        var now = new DateTimeOffset(Stored, TimeSpan.Zero);

        Assert.True(await store.TrimAsync(StoreRows.Trim(now, now, now, limit: 7), Cancel));
        Assert.False(await store.TrimAsync(StoreRows.Trim(now, now, now, limit: 8), Cancel));
        Assert.Equal(["trim_events", "trim_keys", "trim_replies", "trim_dead_letters"],
            oracle.Calls.Take(4).Select(call => call.Name));
    }

    [Fact]
    public async Task List_statement_names_only_the_requested_filters()
    {
        var oracle = new FakeOracle();
        await using var store = Store(oracle);
        await store.ListInstancesAsync(new(), Cancel);
        await store.ListInstancesAsync(new() { CorrelationKey = "a", Limit = 5 }, Cancel);
        await store.ListInstancesAsync(new() { CorrelationKey = "b", Limit = 6 }, Cancel);
        await store.ListTasksAsync(new() { Group = "clerks", After = Id }, Cancel);
        await store.ListDeadLettersAsync(new(), Cancel);

        Assert.Equal(
            ["list_instances", "list_instances", "list_instances", "list_tasks", "list_dead_letters"],
            oracle.Calls.Select(c => c.Name));
        Assert.Equal(
            [["p_limit"], ["p_correlation_key", "p_limit"], ["p_correlation_key", "p_limit"],
                ["p_after", "p_group_name", "p_limit"],
                ["p_limit", "p_replayed"]],
            oracle.Calls.Select(c => c.Values.Keys.Order(StringComparer.Ordinal).ToArray()));
        Assert.Equal(oracle.Calls[1].Text, oracle.Calls[2].Text);
    }

    [Fact]
    public async Task Newest_first_list_reads_every_table_backwards()
    {
        var oracle = new FakeOracle();
        await using var store = Store(oracle);

        await store.ListInstancesAsync(new() { NewestFirst = true, Before = Id }, Cancel);

        var text = Assert.Single(oracle.Calls).Text;
        Assert.Equal(4, text.Split("order by id desc").Length - 1);
        Assert.Equal(4, text.Split("order by id").Length - 1);
        Assert.Equal(3, text.Split("id < :p_before").Length - 1);
    }

    [Fact]
    public async Task Rows_have_ids_in_byte_order_and_instants_in_UTC()
    {
        var oracle = new FakeOracle
        {
            Answer = call => call.Name switch
            {
                "find_instance" => FakeAnswer.Row(RawId, 8, "order", 3, 5L, 1, null, "{}", Stored, Stored),
                "find_task" => FakeAnswer.Row(
                    RawId, 8, RawId, "order", 3, "key", "check", 0, null, "[\"a \\\"quoted\\\" group\"]", null, Stored,
                    Stored, null),
                "find_dead_letter" =>
                    FakeAnswer.Row(RawId, 8, 2, RawId, null, null, 1, "{}", Stored, Stored, Stored, 0),
                "find_history" => FakeAnswer.Row([null]),
                _ => null,
            },
        };
        await using var store = Store(oracle);

        var instance = await store.FindInstanceAsync(Id, Cancel);
        Assert.Equal((Id, InstanceState.Waiting, null, TimeSpan.Zero),
            (instance!.Id, instance.State, instance.CorrelationKey, instance.CreatedUtc.Offset));
        Assert.Equal(Stored, instance.CreatedUtc.UtcDateTime);
        Assert.Equal(["a \"quoted\" group"], (await store.FindTaskAsync(Id, Cancel))!.Groups);
        var letter = await store.FindDeadLetterAsync(Id, Cancel);
        Assert.Equal(("", false, null), (letter!.Reason, letter.Applied, letter.InstanceId));
        Assert.Equal("", await store.FindHistoryAsync(Id, Cancel)); // An empty text is null there.
    }

    [Fact]
    public async Task Every_statement_binds_exactly_its_variables()
    {
        var oracle = new FakeOracle { Answer = Server() };
        await using var store = Store(oracle);
        oracle.Answer = call => call.Name is "find_definition" ? FakeAnswer.Row("order", 1, "hash", "{}", Stored, 7L)
            : call.Name == "count_lanes" ? FakeAnswer.Row(2) : null;
        var definition = new DefinitionRow("order", 1, "hash", "{}", new(Stored, TimeSpan.Zero), 7);

        Assert.Equal(2, await store.CountLanesAsync(Cancel));
        Assert.Equal(definition, await store.AddDefinitionAsync(definition, Cancel));
        Assert.Null(await store.FindInstanceAsync(Id, Cancel));
        Assert.Null(await store.FindHistoryAsync(Id, Cancel));
        Assert.Empty(await store.ListInstancesAsync(
            new() { Definition = "order", State = InstanceState.Failed, CorrelationKey = "key", After = Id, Before = Id,
                Limit = 7 }, Cancel));
        Assert.Empty(await store.FindChildrenAsync(Id, 10, Cancel));
        Assert.Null(await store.FindTaskAsync(Id, Cancel));
        Assert.Empty(
            await store.ListTasksAsync(
                new() { Assignee = "ann", Group = "clerks", State = TaskState.Open, After = Id }, Cancel));
        Assert.Null(await store.FindDeadLetterAsync(Id, Cancel));
        Assert.Empty(
            await store.ListDeadLettersAsync(
                new() { Kind = DeadLetterKind.Timer, InstanceId = Id, After = Id, Replayed = true }, Cancel));
        Assert.Empty(await store.ReadEventsAsync(1, 2, 3, Cancel));
        Assert.Empty(await store.LoadDefinitionsAsync(6, Cancel));
        await store.TrimAsync(
            StoreRows.Trim(definition.RegisteredUtc, definition.RegisteredUtc, definition.RegisteredUtc), Cancel);
        await using var lane = await store.OpenLaneAsync(new(0, 1), Cancel);
        Assert.Empty(await lane.FindKeysAsync(["start:a"], Cancel));

        var list = Assert.Single(oracle.CallsOf("list_instances"));
        Assert.Equal(("order", 4L, 7L), (list.Values["p_definition"], list.Values["p_state"], list.Values["p_limit"]));
        Assert.Equal("2026-03-04T05:06:07.8912340", oracle.CallsOf("trim_keys")[0].Values["p_before"]);
        Assert.Equal(["p_body"], oracle.CallsOf("add_definition")[0].Documents);
        Assert.Equal(6L, oracle.CallsOf("load_definitions")[0].Values["p_after"]);
    }

    [Fact]
    public void Description_names_server_and_user_and_no_password()
    {
        var store = Store(new FakeOracle());

        Assert.Equal("Oracle at 127.0.0.1:1521/FREEPDB1, user 'workflow'", store.Description);
    }

    internal static OracleStore Store(DbProviderFactory driver, TimeProvider? time = null) =>
        new(new() { ConnectionString = ConnectionString }, time, driver);

    private static Func<FakeCall, FakeAnswer?> Server(int schema = 0) => call => call.Name switch
    {
        "read_server" => FakeAnswer.Row("23.0.0.0.0", "AL32UTF8"),
        "is_before_release" => FakeAnswer.Row(0),
        "read_version" => FakeAnswer.Row(schema),
        _ => null,
    };
}
