namespace IntegrationTests.Backends;

/// <summary>Provides servers of any kind and starts nothing: native mode serves when given a description, else is refused.</summary>
internal sealed class ScriptedProvider(ServerKind kind, string? description = null) : ServerProvider
{
    public override ServerKind Kind => kind;
    public override string HowToEnable => $"install {kind}";

    /// <summary>How often the native mode was tried.</summary>
    public int NativeStarts { get; private set; }

    public override Task<BackendServer> ConnectAsync(string connectionString, CancellationToken cancellationToken) =>
        Task.FromResult<BackendServer>(new Server(kind, connectionString));

    public override Task<ProvisionOutcome> StartNativeAsync(CancellationToken cancellationToken)
    {
        NativeStarts++;
        return Task.FromResult(
            description is null ? ProvisionOutcome.Refused("not installed") : ProvisionOutcome.Of(new Server(kind, description)));
    }

    private sealed class Server(ServerKind kind, string description) : BackendServer(new Host(description))
    {
        public override ServerKind Kind => kind;
        public override string ConnectionString => "";

        public override Task<SettingsReadBack> ReadSettingsAsync(CancellationToken cancellationToken) =>
            Task.FromResult(new SettingsReadBack("1", new Dictionary<string, string>(), []));
    }

    private sealed class Host(string description) : ServerHost
    {
        public override ProvisionMode Provision => ProvisionMode.Native;
        public override string Description => description;
        public override string LogTail => "";
    }
}
