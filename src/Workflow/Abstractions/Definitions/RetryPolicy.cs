namespace Workflow.Abstractions.Definitions;

/// <summary>How failed attempts of an activity are repeated.</summary>
/// <param name="MaxAttempts">Attempts in all, 1 or more.</param>
/// <param name="InitialInterval">Pause before the second attempt.</param>
/// <param name="Backoff">Factor by which the pause grows, 1 or more.</param>
public sealed record RetryPolicy(int MaxAttempts, TimeSpan InitialInterval, double Backoff)
{
    /// <summary>The pause before the second attempt when the definition gives none: 1 s.</summary>
    public static readonly TimeSpan DefaultInitialInterval = TimeSpan.FromSeconds(1);

    /// <summary>What a pause grows to at most: 1 day, or the initial interval where that is longer.</summary>
    public static readonly TimeSpan LongestGrownInterval = TimeSpan.FromDays(1);

    /// <summary>The factor when the definition gives none: 2.</summary>
    public const double DefaultBackoff = 2;

    /// <summary>
    /// The pause after that many failed attempts: initialInterval x backoff^(failed - 1), no longer than
    /// <see cref="LongestGrownInterval"/>.
    /// </summary>
    /// <param name="failedAttempts">1 or more.</param>
    public TimeSpan PauseAfter(int failedAttempts)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(failedAttempts, 1);
        var grown = InitialInterval.TotalSeconds * Math.Pow(Backoff, failedAttempts - 1);
        var longest = InitialInterval > LongestGrownInterval ? InitialInterval : LongestGrownInterval;
        if (grown < longest.TotalSeconds)
        {
            return TimeSpan.FromSeconds(grown);
        }

        return InitialInterval == TimeSpan.Zero ? TimeSpan.Zero : longest;
    }
}
