namespace PerformanceTesting.Backends;

/// <summary>One attempt to get a server, and its outcome.</summary>
/// <param name="Mode">Never <see cref="ProvisionMode.Auto"/>.</param>
/// <param name="Succeeded">Whether this mode gave the server.</param>
/// <param name="Detail">The server, or the reason of the refusal.</param>
public sealed record ProvisionAttempt(ProvisionMode Mode, bool Succeeded, string Detail)
{
    public override string ToString() => $"{Mode.ToString().ToLowerInvariant()}: {Detail}";
}
