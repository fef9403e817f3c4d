using System.Net.Sockets;
using IntegrationTests.Mongo.Server;
using MongoDB.Driver;
using PerformanceTesting.Backends.MongoDb;
using Workflow.Abstractions.Exceptions;
using Workflow.Stores.MongoDb;

namespace IntegrationTests.Mongo;

/// <summary>The seam to MongoDB's driver, and what of its errors people read.</summary>
[Trait("Category", "Integration")]
public sealed class MongoDriverTests : IAsyncDisposable
{
    private readonly InMemoryMongo _server = new();

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    [Fact]
    public async Task Reply_arrives_as_relaxed_json_with_its_dates_and_numbers()
    {
        _server.Answers["serverStatus"] = _ => new()
        {
            { "pid", 4711L },
            { "uptimeMillis", 12.5 },
            { "localTime", new DateTime(2026, 11, 21, 17, 0, 0, DateTimeKind.Utc) },
            { "nothing", BsonNull.Value },
            { "wiredTiger", new BsonDocument("log", new BsonDocument("log bytes written", 90_000_000_000)) },
            { "on", true },
        };
        using var link = new MongoDriver().Open(_server.ConnectionString(""));

        var reply = await link.RunAsync("admin", """{ "serverStatus": 1, "repl": 0 }""", Cancel);

        Assert.Equal(4711, reply.GetProperty("pid").GetInt64());
        Assert.Equal(90_000_000_000, reply.Find("wiredTiger", "log", "log bytes written")!.Value.GetInt64());
        Assert.Equal(
            new DateTimeOffset(2026, 11, 21, 17, 0, 0, TimeSpan.Zero),
            reply.Find("localTime", "$date")!.Value.GetDateTimeOffset());
        Assert.Null(reply.Find("nothing"));
        Assert.Equal(("serverStatus", "admin"), (_server.Calls.Single().Name, _server.Calls.Single().Database));
    }

    [Fact]
    public async Task Server_is_probed_and_described_over_the_driver()
    {
        await using var server = await ConnectAsync(_server.ConnectionString(""));

        Assert.Equal($"external server (MongoDB at {_server.Address})", server.Description);
        Assert.Equal("7.0.14", (await server.ReadSettingsAsync(Cancel)).Version);
    }

    [Fact]
    public async Task Standalone_server_is_refused()
    {
        _server.IsReplicaSet = false;

        var error = await Assert.ThrowsAsync<BackendException>(() => ConnectAsync(_server.ConnectionString("")));

        Assert.Contains("rs.initiate()", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Command_that_the_server_refuses_is_reported_with_its_number()
    {
        using var link = Open(_server.ConnectionString(""));

        var refusal = await Assert.ThrowsAsync<MongoRefusalException>(
            () => link.RunAsync("admin", """{ "noSuchThing": 1 }""", Cancel));

        Assert.Equal(59, refusal.Code);
        Assert.Contains("noSuchThing", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Wrong_password_is_reported_without_it()
    {
        var error = await Assert.ThrowsAsync<BackendException>(
            () => ConnectAsync(_server.ConnectionString("", "ann:hush@")));

        Assert.Contains("Unable to authenticate", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("hush", error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Unreachable_server_is_reported_with_the_reason()
    {
        using var closed = new TcpListener(IPAddress.Loopback, 0);
        closed.Start();
        var address = $"{closed.LocalEndpoint}";
        closed.Stop();
        _server.Before = _ => throw new ConnectionCutException();
        await using var silent = new InMemoryMongo { Before = _ => Task.Delay(Timeout.Infinite, Cancel) };
        await using var alone = new InMemoryMongo { IsReplicaSet = false };
        using var other = new TcpListener(IPAddress.Loopback, 0);
        other.Start();
        var answering = AnswerOtherwiseAsync(other);

        // Each of them takes as long as the driver looks for a server: all at once.
        await Task.WhenAll(
            RefusesAsync($"mongodb://{address}", "Connection refused"),
            RefusesAsync("mongodb://no-such-host.invalid", "not known|resolution"),
            RefusesAsync(_server.ConnectionString(""), "end of (the )?stream|reset"),
            RefusesAsync(silent.ConnectionString(""), "timed out"),
            RefusesAsync($"mongodb://{other.LocalEndpoint}", "size of the message is invalid"),
            StoreRefusesAsync($"mongodb://ann:hush@{address}/flows", "selecting a server: Connection refused"),
            StoreRefusesAsync($"mongodb://{alone.Address}/flows?replicaSet=rs0", "rs.initiate()"));
        other.Stop();
        await answering;

        static async Task RefusesAsync(string connectionString, string why)
        {
            using var link = Open(connectionString);
            var refusal = await Assert.ThrowsAsync<MongoRefusalException>(
                () => link.RunAsync("admin", """{ "ping": 1 }""", Cancel));
            Assert.Matches($"^A timeout occurred after \\d+ms selecting a server: .*({why}).*\\.$", refusal.Message);
            Assert.Equal(0, refusal.Code);
        }

        static async Task StoreRefusesAsync(string connectionString, string why)
        {
            await using var store = new MongoStore(new() { ConnectionString = connectionString });
            var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.OpenAsync(Cancel));
            Assert.Contains(why, error.Message, StringComparison.Ordinal);
            Assert.DoesNotContain('\n', error.Message);
            Assert.InRange(error.Message.Length, 100, 500);
        }
    }

    [Fact]
    public async Task Closed_client_leaves_another_of_the_same_settings_open()
    {
        var connectionString = _server.ConnectionString("flows");
        await using var store = new MongoStore(new() { ConnectionString = connectionString });
        await store.OpenAsync(Cancel);
        using var link = Open(connectionString);
        await link.RunAsync("admin", """{ "ping": 1 }""", Cancel);

        await using (var other = new MongoStore(new() { ConnectionString = connectionString }))
        {
            await other.OpenAsync(Cancel);
        }

        Open(connectionString).Dispose();

        Assert.Empty(await store.ListInstancesAsync(new(), Cancel));
        await link.RunAsync("admin", """{ "ping": 1 }""", Cancel);
    }

    [Fact]
    public void Text_of_the_driver_that_has_no_end_is_cut()
    {
        var text = MongoErrors.Text(new MongoException(new string('x', 3_000)));

        Assert.Equal(new string('x', 500) + " …", text);
        Assert.Equal("first line", MongoErrors.Text(new MongoException("first line\r\n   at a stack")));
    }

    [Fact]
    public void Connection_string_the_driver_cannot_read_is_not_repeated()
    {
        var refusal = Assert.Throws<MongoRefusalException>(() => Open("http://ann:hush@127.0.0.1"));

        Assert.DoesNotContain("hush", refusal.ToString(), StringComparison.Ordinal);
    }

    /// <summary>As a server of another protocol.</summary>
    private static async Task AnswerOtherwiseAsync(TcpListener listener)
    {
        try
        {
            while (true)
            {
                using var client = await listener.AcceptTcpClientAsync(Cancel);
                await client.GetStream().WriteAsync("HTTP/1.1 400 Bad Request\r\n\r\n"u8.ToArray(), Cancel);
            }
        }
        catch (SocketException)
        {
            // The listener has been stopped.
        }
    }

    private static IMongoLink Open(string connectionString) => new MongoDriver().Open(connectionString);

    private static Task<MongoServer> ConnectAsync(string connectionString) => MongoServer.ConnectAsync(
        new MongoDriver(), connectionString, ServerKind.Mongo.Variable, Cancel);
}
