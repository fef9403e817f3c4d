namespace Workflow.Abstractions.Definitions;

/// <summary>How failed attempts of an activity are repeated.</summary>
/// <param name="MaxAttempts">Attempts in all, 1 or more.</param>
/// <param name="InitialInterval">Pause before the second attempt.</param>
/// <param name="Backoff">Factor by which the pause grows, 1 or more.</param>
public sealed record RetryPolicy(int MaxAttempts, TimeSpan InitialInterval, double Backoff)
{
    /// <summary>The pause before the second attempt when the definition gives none: 1 s.</summary>
    public static readonly TimeSpan DefaultInitialInterval = TimeSpan.FromSeconds(1);

    /// <summary>The factor when the definition gives none: 2.</summary>
    public const double DefaultBackoff = 2;
}
