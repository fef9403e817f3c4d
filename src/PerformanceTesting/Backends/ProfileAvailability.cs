namespace PerformanceTesting.Backends;

/// <summary>Whether a profile can be had on this machine, and if not, why and what to do.</summary>
/// <param name="Profile">The profile.</param>
/// <param name="IsAvailable">True when tests of the profile run.</param>
/// <param name="Reason">What serves it, or why nothing does.</param>
/// <param name="HowToEnable">The command or variable that makes it available; empty when it is.</param>
/// <param name="Attempts">The ways that were tried, in order.</param>
public sealed record ProfileAvailability(
    BackendProfile Profile,
    bool IsAvailable,
    string Reason,
    string HowToEnable,
    IReadOnlyList<ProvisionAttempt> Attempts)
{
    public override string ToString() =>
        IsAvailable
            ? $"profile '{Profile}' is available: {Reason}"
            : $"profile '{Profile}' is not available: {Reason}. To enable it: {HowToEnable}";
}
