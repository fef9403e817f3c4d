using PerformanceTesting.Backends.Containers;

namespace PerformanceTesting.Backends.MongoDb;

/// <summary>An installed mongod on a private directory, which becomes the one member of a replica set.</summary>
internal sealed class MongoNative(IMongoDriver driver, string program)
    : NativeServer(DirectoryKind, program, time: null)
{
    private const string DirectoryKind = "mongo";
    private const string ProcessIdName = "mongod.pid";

    private readonly string _program = program;
    private IMongoLink? _link;

    /// <summary>Settings that make no difference between a container and an installed program.</summary>
    public static IReadOnlyList<string> Arguments { get; } =
        ["--replSet", MongoReplicaSet.Name, "--wiredTigerCacheSizeGB", "0.5", "--oplogSize", "1024"];

    /// <summary>The client that waited for the server. The caller disposes it.</summary>
    public IMongoLink Link => _link ?? throw new InvalidOperationException("The server was not started.");

    public string ConnectionString => Connect("127.0.0.1", Port);

    protected override string ProcessIdFile => ProcessIdName;

    protected override TimeSpan StartTimeout => TimeSpan.FromMinutes(1);

    protected override TimeSpan Pause => TimeSpan.FromMilliseconds(50);

    protected override string PortTaken => "Address already in use";

    public static string Connect(IServerContainer container) =>
        Connect(container.Host, container.PortOf(MongoServer.Port));

    /// <summary>
    /// Removes what killed runs left, starts a server and waits until it is the writable primary of its set.
    /// </summary>
    /// <exception cref="BackendException">
    /// It ends, or does not answer in time; the message holds the end of its log.
    /// </exception>
    public static async Task<MongoNative> StartAsync(
        IMongoDriver driver, string program, CancellationToken cancellationToken)
    {
        OwnedDirectory.RemoveAbandoned(DirectoryKind, ProcessIdName);
        var server = new MongoNative(driver, program);
        try
        {
            Directory.CreateDirectory(server.PathOf("data"));
            await server.StartAsync(cancellationToken);
            return server;
        }
        catch
        {
            server._link?.Dispose();
            await server.DisposeAsync();
            throw;
        }
    }

    protected override void ChoosePorts()
    {
        base.ChoosePorts();
        _link?.Dispose();
        _link = driver.Open(ConnectionString);
    }

    protected override Task ConfigureAsync(CancellationToken cancellationToken)
    {
        File.Delete(PathOf(ProcessIdName));
        return Task.CompletedTask;
    }

    protected override IReadOnlyList<string> CommandLine() =>
    [
        _program, "--dbpath", PathOf("data"), "--port", $"{Port}", "--bind_ip", "127.0.0.1",
        "--pidfilepath", PathOf(ProcessIdName), .. Arguments,
    ];

    protected override async Task<bool> AnswersAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await MongoReplicaSet.AskAsync(Link, $"127.0.0.1:{Port}", cancellationToken) is null;
        }
        catch (MongoRefusalException)
        {
            return false; // Not yet; the timeout and the server's exit bound the wait.
        }
    }

    private static string Connect(string host, int port) => $"mongodb://{host}:{port}/?directConnection=true";
}
