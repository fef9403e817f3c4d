using IntegrationTests.Shared.Backends.Containers;

namespace IntegrationTests.Shared.Backends.Mongo;

/// <summary>The ways to a MongoDB server. None leads anywhere in a build without MongoDB's driver.</summary>
/// <param name="driver">The driver; the one of the full feed, where it is, when omitted.</param>
internal sealed class MongoProvider(IMongoDriver? driver = null) : ServerProvider
{
    private const string NoDriver = "this build has no MongoDB driver";
    private const string OfficialImage = "mongo:7.0";

    private static readonly Type? OfFullFeed = Type.GetType($"{typeof(MongoProvider).Namespace}.Driver.MongoDriver");

    private readonly IMongoDriver? _driver = driver ?? (OfFullFeed is null ? null : (IMongoDriver)Activator.CreateInstance(OfFullFeed)!);

    public override ServerKind Kind => ServerKind.Mongo;

    public override string HowToEnable { get; } =
        $"build with -p:FullFeed=true, which has MongoDB's driver, and docker pull {OfficialImage}, or export {ServerKind.Mongo.Variable}='{MongoAddress.Example}'";

    public override ContainerImage? Image => _driver is null ? null : new(ServerKind.Mongo, OfficialImage, Local: null);

    public override bool Takes(ProvisionMode way) => way != ProvisionMode.Native && base.Takes(way);

    public override async Task<BackendServer> ConnectAsync(string connectionString, CancellationToken cancellationToken) => await MongoServer.ConnectAsync(
        _driver ?? throw new BackendException($"{Kind.Variable} is set, and {NoDriver}: build with -p:FullFeed=true, or unset {Kind.Variable}."), connectionString, Kind.Variable, cancellationToken);

    public override async Task<BackendServer> StartContainerAsync(IContainerEngine engine, string image, CancellationToken cancellationToken) =>
        await MongoServer.StartAsync(_driver!, engine, image, cancellationToken);

    public override Task<ProvisionOutcome> StartNativeAsync(CancellationToken cancellationToken) =>
        _driver is null ? Task.FromResult(ProvisionOutcome.Refused(NoDriver)) : base.StartNativeAsync(cancellationToken);
}
