using PerformanceTesting.Backends;

namespace IntegrationTests.Backends;

/// <summary>Ways to a server of any kind that start nothing: the native one serves when it was given a description, and is refused otherwise.</summary>
internal sealed class ScriptedProvider(ServerKind kind, string? description = null) : ServerProvider
{
    public override ServerKind Kind => kind;

    public override string HowToEnable => $"install {kind}";

    /// <summary>How often the native way was tried.</summary>
    public int NativeStarts { get; private set; }

    public override Task<BackendServer> ConnectAsync(string connectionString, CancellationToken cancellationToken) =>
        Task.FromResult<BackendServer>(new Server(kind, connectionString));

    public override Task<ProvisionOutcome> StartNativeAsync(CancellationToken cancellationToken)
    {
        NativeStarts++;
        return Task.FromResult(description is null ? ProvisionOutcome.Refused("not installed") : ProvisionOutcome.Of(new Server(kind, description)));
    }

    private sealed class Server(ServerKind kind, string description) : BackendServer
    {
        public override ServerKind Kind => kind;

        public override ProvisionMode Provision => ProvisionMode.Native;

        public override string Description => description;

        public override string ConnectionString => "";

        public override string LogTail => "";

        public override Task<SettingsReadBack> ReadSettingsAsync(CancellationToken cancellationToken) =>
            Task.FromResult(new SettingsReadBack("1", new Dictionary<string, string>(), []));

        public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
