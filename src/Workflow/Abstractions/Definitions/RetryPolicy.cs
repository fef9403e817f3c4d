namespace Workflow.Abstractions.Definitions;

/// <summary>How failed attempts of an activity are repeated.</summary>
/// <param name="MaxAttempts">Attempts in all, 1 or more.</param>
/// <param name="InitialInterval">Pause before the second attempt.</param>
/// <param name="Backoff">Factor by which the pause grows, 1 or more.</param>
public sealed record RetryPolicy(int MaxAttempts, TimeSpan InitialInterval, double Backoff);
