using PerformanceTesting.Backends.Containers;

namespace PerformanceTesting.Backends.MongoDb;

/// <summary>Provides MongoDB servers.</summary>
/// <param name="driver">The driver; MongoDB's own when omitted.</param>
/// <param name="findProgram">Finds the installed server program; the usual places when omitted.</param>
internal sealed class MongoProvider(IMongoDriver? driver = null, Func<string?>? findProgram = null) : ServerProvider
{
    private const string OfficialImage = "mongo:7.0";

    private static readonly string[] UsualPlaces = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

    private readonly IMongoDriver _driver = driver ?? new MongoDriver();

    public override ServerKind Kind => ServerKind.Mongo;

    public override string HowToEnable { get; } =
        $"docker pull {OfficialImage}, or install mongod, or export "
            + $"{ServerKind.Mongo.Variable}='{MongoAddress.Example}'";

    public override ContainerImage Image { get; } =
        new(ServerKind.Mongo.Name, OfficialImage, Local: null) { IsPulledAutomatically = false };

    /// <summary>Few systems have a mongod, so its absence is not an error if native servers are asked for.</summary>
    public override bool Supports(ProvisionMode mode) => mode != ProvisionMode.Native || FindInstalled() is not null;

    public override async Task<BackendServer> ConnectAsync(
        string connectionString, CancellationToken cancellationToken) =>
        await MongoServer.ConnectAsync(_driver, connectionString, Kind.Variable, cancellationToken);

    public override async Task<BackendServer> StartContainerAsync(
        IContainerEngine engine, string image, CancellationToken cancellationToken) =>
        await MongoServer.StartContainerAsync(_driver, engine, image, cancellationToken);

    public override async Task<ProvisionOutcome> StartNativeAsync(CancellationToken cancellationToken) =>
        FindInstalled() is { } program
            ? ProvisionOutcome.Of(await MongoServer.StartNativeAsync(_driver, program, cancellationToken))
            : ProvisionOutcome.Refused($"no mongod found in PATH, {string.Join(", ", UsualPlaces)}");

    private string? FindInstalled() =>
        findProgram is null ? NativeServer.FindProgram("mongod", UsualPlaces) : findProgram();
}
