namespace PerformanceTesting.Backends;

/// <summary>One way that was tried to get a server, and what came of it.</summary>
/// <param name="Mode">The way; never <see cref="ProvisionMode.Auto"/>.</param>
/// <param name="Succeeded">True for the one that serves.</param>
/// <param name="Detail">What serves, or why this way fell through.</param>
public sealed record ProvisionAttempt(ProvisionMode Mode, bool Succeeded, string Detail)
{
    public override string ToString() => $"{Mode.ToString().ToLowerInvariant()}: {Detail}";
}
