namespace PerformanceTesting.Backends;

/// <summary>Whether a profile is available on this machine, and if not, why and what to do.</summary>
/// <param name="IsAvailable">True when tests of the profile run.</param>
/// <param name="Reason">What serves it, or why nothing does.</param>
/// <param name="HowToEnable">The command or variable that makes it available; empty when it is.</param>
/// <param name="Attempts">The modes that were tried, in order.</param>
public sealed record ProfileAvailability(
    string Profile, bool IsAvailable, string Reason, string HowToEnable, IReadOnlyList<ProvisionOutcome> Attempts)
{
    public override string ToString() =>
        IsAvailable
            ? $"profile '{Profile}' is available: {Reason}"
            : $"profile '{Profile}' is not available: {Reason}. To enable it: {HowToEnable}";
}
