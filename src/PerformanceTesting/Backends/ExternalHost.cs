namespace PerformanceTesting.Backends;

/// <summary>A server that already runs, named by a connection string.</summary>
/// <param name="target">Host, port and user, without a secret.</param>
public sealed class ExternalHost(string target) : ServerHost
{
    public override ProvisionMode Provision => ProvisionMode.External;
    public override string Description => $"external server ({target})";

    public override Task<string> ReadLogTailAsync(CancellationToken cancellationToken) =>
        Task.FromResult("The log of an external server is not in reach.");
}
