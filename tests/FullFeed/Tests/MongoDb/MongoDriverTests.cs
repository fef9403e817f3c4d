using MongoDB.Bson;
using MongoDB.Driver;
using MongoDB.StandIn;
using PerformanceTesting.Backends.MongoDb;
using Workflow.Abstractions.Exceptions;
using Workflow.Stores.MongoDb;

namespace FullFeed.Tests.MongoDb;

/// <summary>The seam to MongoDB's driver, over a stand-in for it.</summary>
public sealed class MongoDriverTests
{
    private readonly string _address = $"{Guid.NewGuid():N}.fake:27017";

    private FakeServer Server => FakeServer.At(_address);

    [Fact]
    public async Task Reply_arrives_as_relaxed_json_with_its_dates_and_numbers()
    {
        Server.Answers["serverStatus"] = _ => new()
        {
            { "pid", 4711L }, { "uptimeMillis", 12.5 }, { "localTime", new DateTime(2026, 11, 21, 17, 0, 0, DateTimeKind.Utc) },
            { "nothing", BsonNull.Value },
            { "wiredTiger", new BsonDocument("log", new BsonDocument("log bytes written", 90_000_000_000)) }, { "on", true },
        };
        using var link = new MongoDriver().Open($"mongodb://{_address}");

        var reply = await link.RunAsync("admin", """{ "serverStatus": 1, "repl": 0 }""", Cancel);

        Assert.Equal(4711, reply.GetProperty("pid").GetInt64());
        Assert.Equal(90_000_000_000, reply.Find("wiredTiger", "log", "log bytes written")!.Value.GetInt64());
        Assert.Equal("2026-11-21T17:00:00.000Z", reply.Find("localTime", "$date")!.Value.GetString());
        Assert.Null(reply.Find("nothing"));
        Assert.Equal(("serverStatus", "admin"), (Server.Calls.Single().Name, Server.Calls.Single().Database));
    }

    [Fact]
    public async Task Server_is_probed_and_described_over_the_driver()
    {
        Server.Answers["buildInfo"] = _ => new("version", "7.0.14");
        await using var server = await MongoServer.ConnectAsync(
            new MongoDriver(), $"mongodb://{_address}", ServerKind.Mongo.Variable, Cancel);

        Assert.Equal($"external server (MongoDB at {_address})", server.Description);
        Assert.Equal("7.0.14", (await server.ReadSettingsAsync(Cancel)).Version);
    }

    [Fact]
    public async Task Standalone_server_is_refused()
    {
        Server.Answers["buildInfo"] = _ => new("version", "7.0.14");
        Server.IsReplicaSet = false;

        var error = await Assert.ThrowsAsync<BackendException>(() =>
            MongoServer.ConnectAsync(new MongoDriver(), $"mongodb://{_address}", ServerKind.Mongo.Variable, Cancel));

        Assert.Contains("rs.initiate()", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Command_that_the_server_refuses_is_reported_with_its_number()
    {
        using var link = new MongoDriver().Open($"mongodb://{_address}");

        var refusal = await Assert.ThrowsAsync<MongoRefusalException>(() => link.RunAsync("admin", """{ "noSuchThing": 1 }""", Cancel));

        Assert.Equal(59, refusal.Code);
        Assert.Contains("noSuchThing", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Wrong_password_is_reported_without_it()
    {
        Server.Password = "right";

        var error = await Assert.ThrowsAsync<BackendException>(() =>
            MongoServer.ConnectAsync(new MongoDriver(), $"mongodb://ann:hush@{_address}/", ServerKind.Mongo.Variable, Cancel));

        Assert.Contains("Unable to authenticate", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("hush", error.ToString(), StringComparison.Ordinal);
    }

    /// <summary>What 3.4.0 says, shortened, where nobody listens, the name is unknown, nobody answers, or something else answers.</summary>
    [Theory]
    [InlineData("Connection refused", "System.Net.Sockets.SocketException (111): Connection refused")]
    [InlineData("Name or service not known", "System.Net.Sockets.SocketException (00000005, 0xFFFDFFFF): Name or service not known")]
    [InlineData(
        "Connection timed out",
        "MongoDB.Driver.MongoConnectionException: An exception occurred while receiving a message from the server.",
        "System.IO.IOException: Unable to read data from the transport connection: Connection timed out.",
        "System.Net.Sockets.SocketException (110): Connection timed out")]
    [InlineData(
        "The size of the message is invalid",
        "MongoDB.Driver.MongoConnectionException: An exception occurred while receiving a message from the server.",
        "System.FormatException: The size of the message is invalid.")]
    public async Task Server_that_nobody_reaches_is_reported_by_why_and_not_by_the_state_of_the_whole_cluster(
        string why, params string[] causes)
    {
        var heartbeat = $"""
            HeartbeatException: "MongoDB.Driver.MongoConnectionException: An exception occurred while opening a connection to the server.
            {string.Join('\n', causes.Select(cause => $" ---> {cause}"))}
               at System.Net.Sockets.Socket.ThrowException(SocketError error)
               --- End of inner exception stack trace ---", LastHeartbeatTimestamp: "2026-11-22T11:18:19.0775914Z"
            """;
        Server.Before = (_, _) => throw new TimeoutException(
            "A timeout occurred after 8000ms selecting a server using CompositeServerSelector{ Selectors = ... }. Client view of cluster "
            + $$"""state is { ClusterId : "1", Servers : [{ EndPoint: "a:1", {{heartbeat}} }, { EndPoint: "b:2", {{heartbeat}} }] }.""");
        using var link = new MongoDriver().Open($"mongodb://{_address}");

        var refusal = await Assert.ThrowsAsync<MongoRefusalException>(() => link.RunAsync("admin", """{ "ping": 1 }""", Cancel));

        Assert.Equal((0, $"A timeout occurred after 8000ms selecting a server: {why}."), (refusal.Code, refusal.Message));
    }

    [Fact]
    public async Task Store_that_reaches_nobody_reports_why_on_one_line_without_the_state_of_the_cluster()
    {
        var cluster = string.Concat(Enumerable.Repeat("   at MongoDB.Driver.Core.Connections.BinaryConnection.OpenAsync()\n", 30));
        Server.Before = (_, _) => throw new TimeoutException(
            "A timeout occurred after 10000ms selecting a server using CompositeServerSelector{ Selectors = ... }. Client view of cluster "
            + $"state is {{ Servers : [{{ HeartbeatException: \"MongoDB.Driver.MongoAuthenticationException: Unable to authenticate.\n{cluster}\""
            + " }] }.");
        await using var store = new MongoDriver().CreateStore($"mongodb://ann:hush@{_address}/flows");

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.OpenAsync(Cancel));

        Assert.Contains("A timeout occurred after 10000ms selecting a server: Unable to authenticate. Check", error.Message,
            StringComparison.Ordinal);
        Assert.DoesNotContain('\n', error.Message);
        Assert.InRange(error.Message.Length, 100, 500);
    }

    [Fact]
    public void Text_of_the_driver_that_has_no_end_is_cut()
    {
        var text = MongoErrors.Text(new MongoException(new string('x', 3_000)));

        Assert.Equal(new string('x', 500) + " …", text);
        Assert.Equal("first line", MongoErrors.Text(new MongoException("first line\r\n   at a stack")));
    }

    [Fact]
    public void Numbers_that_travel_are_those_of_the_driver() => Assert.Equal(
        (1, 4, 1, 2, 2),
        ((int)ReadConcernLevel.Local, (int)ReadConcernLevel.Snapshot, (int)GuidRepresentation.Standard,
            (int)MongoDB.Bson.IO.JsonOutputMode.RelaxedExtendedJson, (int)ReadConcernLevel.Majority));

    [Fact]
    public void Connection_string_that_the_driver_cannot_read_is_not_repeated()
    {
        var refusal = Assert.Throws<MongoRefusalException>(() => new MongoDriver().Open("http://ann:hush@127.0.0.1"));

        Assert.DoesNotContain("hush", refusal.ToString(), StringComparison.Ordinal);
    }
}
