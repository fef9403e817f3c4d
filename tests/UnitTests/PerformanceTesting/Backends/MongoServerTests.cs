using System.Diagnostics;
using IntegrationTests.Shared.Backends;
using PerformanceTesting.Backends;
using PerformanceTesting.Backends.Containers;
using PerformanceTesting.Backends.MongoDb;

namespace UnitTests.PerformanceTesting.Backends;

/// <summary>The server of tests over a driver that answers by a script.</summary>
public sealed class MongoServerTests : IDisposable
{
    private const string ConnectionString = "mongodb://ann:hush@127.0.0.1:27017/?replicaSet=rs0";

    private readonly DirectoryInfo _programs = Directory.CreateTempSubdirectory("mongod-");

    public void Dispose() => _programs.Delete(recursive: true);

    [Fact]
    public async Task Settings_are_read_back_with_what_makes_a_commit_durable()
    {
        await using var server = await ConnectAsync(new ScriptedMongo());
        var settings = await server.ReadSettingsAsync(Cancel);

        Assert.Equal(("7.0.14", "durable"), (settings.Version, settings.Durability));
        Assert.Equal("external server (MongoDB at 127.0.0.1:27017, user 'ann')", server.Description);
        Assert.Equal(
            ("rs0", "1", "wiredTiger", "majority", "implicit", "100"),
            (settings.Settings["replicaSet"], settings.Settings["replicaSet.members"],
                settings.Settings["storageEngine"],
                settings.Settings["defaultWriteConcern.w"], settings.Settings["defaultWriteConcern.source"],
                settings.Settings["journalCommitIntervalMs"]));
    }

    [Theory]
    [InlineData("serverStatus", """{ "storageEngine": { "name": "inMemory", "persistent": false }, "ok": 1 }""",
        "storageEngine=inMemory")]
    [InlineData("getCmdLineOpts", """{ "parsed": { "storage": { "journal": { "enabled": false } } }, "ok": 1 }""",
        "journal=false")]
    public async Task Server_that_keeps_nothing_or_has_no_journal_is_not_durable(
        string command, string reply, string shortfall)
    {
        var mongo = new ScriptedMongo();
        mongo.Answers[command] = () => reply;
        await using var server = await ConnectAsync(mongo);
        var settings = await server.ReadSettingsAsync(Cancel);

        Assert.StartsWith("not durable: ", settings.Durability, StringComparison.Ordinal);
        Assert.Contains(shortfall, settings.Durability, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Unreadable_figures_are_reported_and_the_rest_is_read()
    {
        var mongo = new ScriptedMongo();
        mongo.Answers["getCmdLineOpts"] =
            () => throw new MongoRefusalException(
                "not authorized on admin to execute command", MongoRefusalException.Unauthorized);
        await using var server = await ConnectAsync(mongo);
        var settings = await server.ReadSettingsAsync(Cancel);

        Assert.Equal("not readable: not authorized on admin to execute command", settings.Settings["getCmdLineOpts"]);
        Assert.Equal("7.0", settings.Settings["featureCompatibilityVersion"]);
    }

    [Theory]
    [InlineData("buildInfo", """{ "version": "4.4.29" }""", "it is MongoDB 4.4.29; 5.0 is the oldest that serves")]
    [InlineData("hello", """{ "isWritablePrimary": true }""",
        "standalone server, which has no transactions and no change streams: "
            + "start it with --replSet rs0 and run rs.initiate()")]
    [InlineData("hello", """{ "isWritablePrimary": true, "msg": "isdbgrid" }""", "mongos")]
    [InlineData(
        "hello", """{ "isWritablePrimary": false, "isreplicaset": true }""", "no configuration yet: run rs.initiate()")]
    [InlineData("hello", """{ "isWritablePrimary": false, "setName": "rs0", "primary": "db2:27017" }""",
        "not the writable primary of 'rs0' (primary: db2:27017)")]
    public async Task Unusable_server_is_refused_without_the_password(string command, string reply, string part)
    {
        var mongo = new ScriptedMongo();
        mongo.Answers[command] = () => reply;
        var error = await Assert.ThrowsAsync<BackendException>(() => ConnectAsync(mongo));

        Assert.Contains(part, error.Message, StringComparison.Ordinal);
        Assert.Contains(
            "WORKFLOW_PERF_MONGO (MongoDB at 127.0.0.1:27017, user 'ann')", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("hush", error.ToString(), StringComparison.Ordinal);
        Assert.Empty(mongo.CallsOf("replSetInitiate"));
        Assert.Equal(1, mongo.Disposals);
    }

    [Theory]
    [InlineData("127.0.0.1:27017/ann:hush")]
    [InlineData("mongodb://ann:hu/sh@127.0.0.1/")]
    [InlineData("Host=127.0.0.1;Password=hush")]
    public async Task Malformed_connection_string_is_refused_but_not_quoted(string text)
    {
        var error = await Assert.ThrowsAsync<BackendException>(() =>
            MongoServer.ConnectAsync(new ScriptedMongo(), text, ServerKind.Mongo.Variable, Cancel));

        Assert.Contains($"WORKFLOW_PERF_MONGO is not a MongoDB connection string; "
            + $"it looks like '{MongoAddress.Example}'", error.Message,
            StringComparison.Ordinal);
        Assert.DoesNotContain("hush", error.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain("hu/sh", error.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(
        "mongodb://ann:hush@a:1,b:2/?replicaSet=rs0", "mongodb://ann:hush@a:1,b:2/x?replicaSet=rs0&authSource=admin")]
    [InlineData("mongodb://ann:hush@a:1/people", "mongodb://ann:hush@a:1/x?authSource=people")]
    [InlineData("mongodb://ann:hush@a:1/?authsource=people", "mongodb://ann:hush@a:1/x?authsource=people")]
    [InlineData("mongodb+srv://a.example", "mongodb+srv://a.example/x")]
    public void Authentication_database_stays_when_the_database_changes(string connectionString, string expected) =>
        Assert.Equal(expected, MongoAddress.Parse(connectionString, "V").In("x"));

    [Fact]
    public async Task Each_test_has_its_own_database()
    {
        var mongo = new ScriptedMongo();
        var server = await ConnectAsync(mongo);
        var (first, second) = (server.NewDatabase(), server.NewDatabase());
        await server.DropDatabaseAsync(first, Cancel);
        await server.DropDatabaseAsync(first, Cancel);
        Assert.Single(mongo.CallsOf("dropDatabase"));
        await server.DisposeAsync();

        Assert.Equal(
            new[] { first, second }.Select(one => MongoAddress.Parse(one, "V").Database), mongo.CallsOf("dropDatabase")
            .Select(call => call.Database));
        Assert.Matches("^wf_[0-9a-f]{20}$", MongoAddress.Parse(second, "V").Database);
        Assert.Equal(1, mongo.Disposals);
    }

    [Fact]
    public async Task Container_is_made_a_replica_set_of_one_member_and_waited_for()
    {
        var mongo = new ScriptedMongo();
        var states = new Queue<string>(
        [
            """{ "isWritablePrimary": false, "isreplicaset": true }""",
            """{ "isWritablePrimary": false, "setName": "rs0" }""",
            """{ "isWritablePrimary": true, "setName": "rs0" }""",
        ]);
        mongo.Answers["hello"] = states.Dequeue;
        mongo.Answers["replSetInitiate"] = () => """{ "ok": 1 }""";
        var engine = new ScriptedEngine();
        await using (var server = await MongoServer.StartContainerAsync(mongo, engine, "mongo:7.0", Cancel))
        {
            Assert.Equal("mongodb://127.0.0.1:40017/?directConnection=true", server.ConnectionString);
            Assert.Equal(ProvisionMode.Container, server.Host.Provision);
        }

        var initiated = Assert.Single(mongo.CallsOf("replSetInitiate")).Command.GetProperty("replSetInitiate");
        Assert.Equal(("rs0", "127.0.0.1:27017"),
            (initiated.GetProperty("_id").GetString(),
                initiated.GetProperty("members")[0].GetProperty("host").GetString()));
        Assert.Equal(["mongod", "--bind_ip_all", "--replSet", "rs0"], engine.Request!.Command.Take(4));
        Assert.Equal((1, 1), (engine.Disposals, mongo.Disposals));
    }

    [Fact]
    public async Task Old_image_is_refused_and_leaves_no_container()
    {
        var mongo = new ScriptedMongo { Answers = { ["buildInfo"] = () => """{ "version": "4.2.0" }""" } };
        var engine = new ScriptedEngine();
        var error = await Assert.ThrowsAsync<BackendException>(
            () => MongoServer.StartContainerAsync(mongo, engine, "mongo:4.2", Cancel));

        Assert.Contains("image mongo:4.2 cannot be used: it is MongoDB 4.2.0", error.Message, StringComparison.Ordinal);
        Assert.Equal((1, 1), (engine.Disposals, mongo.Disposals));
    }

    [Fact]
    public async Task Installed_server_runs_in_its_own_directory()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "There is no shell.");
        var mongo = new ScriptedMongo();
        var states =
            new Queue<string>(["""{ "isreplicaset": true }""", """{ "isWritablePrimary": true, "setName": "rs0" }"""]);
        mongo.Answers["hello"] = states.Dequeue;
        mongo.Answers["replSetInitiate"] = () => """{ "ok": 1 }""";
        var provider = new MongoProvider(mongo, () => WriteProgram("exec sleep 600"));
        var outcome = await provider.StartNativeAsync(Cancel);
        var server = (MongoServer)outcome.Server!;
        await Eventually.HoldsAsync(() => server.Host.ProcessId is not null, "the program to write its id");
        var (directory, id) = (server.Host.DirectoryPath!, server.Host.ProcessId!.Value);

        Assert.Equal(ProvisionMode.Native, server.Host.Provision);
        Assert.Contains(
            "--replSet rs0", File.ReadAllText(Path.Combine(directory, "server.log")), StringComparison.Ordinal);
        var member = Assert.Single(mongo.CallsOf("replSetInitiate")).Command.GetProperty("replSetInitiate")
            .GetProperty("members")[0]
            .GetProperty("host").GetString();
        Assert.Equal($"mongodb://{member}/?directConnection=true", server.ConnectionString);
        await server.DisposeAsync();
        Assert.False(Directory.Exists(directory));
        Assert.ThrowsAny<ArgumentException>(() => Process.GetProcessById(id));
    }

    [Fact]
    public async Task Installed_server_that_exits_is_reported_with_its_log()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "There is no shell.");
        var mongo = new ScriptedMongo();
        mongo.Answers["buildInfo"] = () => throw new MongoRefusalException("Connection refused");
        var error = await Assert.ThrowsAsync<BackendException>(() =>
            new MongoProvider(mongo, () => WriteProgram("echo Illegal instruction; exit 132"))
                .StartNativeAsync(Cancel));

        Assert.Contains("did not start", error.Message, StringComparison.Ordinal);
        Assert.Contains("Illegal instruction", error.Message, StringComparison.Ordinal);
        Assert.Equal(1, mongo.Disposals);
    }

    [Fact]
    public async Task Natives_without_a_mongod_skip_unless_required()
    {
        var none = new MongoProvider(new ScriptedMongo(), () => null);
        await using var catalog = new BackendCatalog(
            new BackendVariables { Provision = ProvisionMode.Native }, [none]);
        await using var demanding = new BackendCatalog(
            new BackendVariables { Provision = ProvisionMode.Native, Require = ["mongo"] }, [none]);

        var mongo = await catalog.ProbeAsync("mongo", Cancel);
        var failure = await Assert.ThrowsAsync<BackendException>(() => demanding.RequireOrSkipAsync("mongo", Cancel));

        Assert.Equal((false, true),
            (mongo.IsAvailable, mongo.Reason.Contains("native: no mongod found in PATH", StringComparison.Ordinal)));
        Assert.Equal(
            "docker pull mongo:7.0, or install mongod, or export WORKFLOW_PERF_MONGO='" + MongoAddress.Example + "'",
            mongo.HowToEnable);
        Assert.StartsWith("WORKFLOW_PERF_REQUIRE demands it, but profile 'mongo' is not available", failure.Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Both_profiles_are_served_by_the_server_that_was_named()
    {
        var variables =
            new BackendVariables
                { ConnectionStrings = new Dictionary<ServerKind, string> { [ServerKind.Mongo] = ConnectionString } };
        await using var catalog = new BackendCatalog(
            variables, [new MongoProvider(new ScriptedMongo())],
            _ => Task.FromResult<(IContainerEngine?, string?)>((null, "none here")));

        Assert.True((await catalog.ProbeAsync("mongo", Cancel)).IsAvailable);
        Assert.Equal(
            [ServerKind.Mongo, ServerKind.Redis], catalog.Get("mongo-redis").Servers.Select(provider => provider.Kind));
        Assert.Same(await catalog.MongoAsync(Cancel), await catalog.ServerAsync(ServerKind.Mongo, Cancel));
    }

    /// <summary>A mongod that prints its arguments, writes its id to the pid file and runs the given script.</summary>
    private string WriteProgram(string then)
    {
        var path = Path.Combine(_programs.FullName, "mongod");
        File.WriteAllText(path, $"""
            #!/bin/sh
            echo "$@"
            while [ "$1" != --pidfilepath ]; do shift; done
            echo $$ > "$2"
            {then}

            """);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }

        return path;
    }

    private static Task<MongoServer> ConnectAsync(ScriptedMongo mongo) =>
        MongoServer.ConnectAsync(mongo, ConnectionString, ServerKind.Mongo.Variable, Cancel);
}
