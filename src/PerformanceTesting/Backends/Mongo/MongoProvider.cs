using PerformanceTesting.Backends.Containers;

namespace PerformanceTesting.Backends.Mongo;

/// <summary>The ways to a MongoDB server. None leads anywhere in a build without MongoDB's driver.</summary>
/// <param name="driver">The driver; the one of the full feed, where it is, when omitted.</param>
/// <param name="findBinary">Finds the installed server program; the usual places when omitted.</param>
internal sealed class MongoProvider(IMongoDriver? driver = null, Func<string?>? findBinary = null) : ServerProvider
{
    private const string NoDriver = "this build has no MongoDB driver";
    private const string OfficialImage = "mongo:7.0";

    private static readonly string[] UsualPlaces = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];
    private static readonly Type? OfFullFeed = Type.GetType($"{typeof(MongoProvider).Namespace}.Driver.MongoDriver");

    private readonly IMongoDriver? _driver = driver ?? (OfFullFeed is null ? null : (IMongoDriver)Activator.CreateInstance(OfFullFeed)!);

    public override ServerKind Kind => ServerKind.Mongo;

    public override string HowToEnable { get; } =
        $"build with -p:FullFeed=true, which has MongoDB's driver, and docker pull {OfficialImage}, or install mongod, or export {ServerKind.Mongo.Variable}='{MongoAddress.Example}'";

    public override ContainerImage? Image => _driver is null ? null : new(ServerKind.Mongo, OfficialImage, Local: null);

    public override bool Takes(ProvisionMode way) => way == ProvisionMode.External || _driver is not null;

    public override async Task<BackendServer> ConnectAsync(string connectionString, CancellationToken cancellationToken) => await MongoServer.ConnectAsync(
        _driver ?? throw new BackendException($"{Kind.Variable} is set, and {NoDriver}: build with -p:FullFeed=true, or unset {Kind.Variable}."), connectionString, Kind.Variable, cancellationToken);

    public override async Task<BackendServer> StartContainerAsync(IContainerEngine engine, string image, CancellationToken cancellationToken) =>
        await MongoServer.StartAsync(_driver!, engine, image, cancellationToken);

    public override async Task<ProvisionOutcome> StartNativeAsync(CancellationToken cancellationToken) =>
        _driver is null ? ProvisionOutcome.Refused(NoDriver)
        : (findBinary ?? FindBinary)() is { } binary ? ProvisionOutcome.Of(await MongoServer.StartAsync(_driver, binary, cancellationToken))
        : ProvisionOutcome.Refused($"no mongod found in PATH, {string.Join(", ", UsualPlaces)}");

    private static string? FindBinary() => InstalledProgram.Find("mongod", UsualPlaces);
}
