using Workflow.Abstractions.Expressions;

namespace Workflow.Abstractions.Definitions;

/// <summary>Waits for what somebody else brings, for a time at most.</summary>
public abstract record AwaitingStep : SequentialStep
{
    /// <summary>How long to wait at most; null waits for ever.</summary>
    public TimeSpan? Timeout { get; init; }

    /// <summary>The step taken when the time is over; set if and only if there is a timeout.</summary>
    public string? OnTimeout { get; init; }

    /// <summary>The variable that takes what was waited for.</summary>
    public string? Result { get; init; }
}

/// <summary>Waits for a signal by name and correlation key, or by name sent to the instance.</summary>
public sealed record WaitSignalStep : AwaitingStep
{
    public override string Type => "waitSignal";

    public required string Signal { get; init; }

    /// <summary>The correlation key; null when the signal only comes by instance id.</summary>
    public Template? Correlation { get; init; }
}

/// <summary>Waits for a time. Exactly one of duration and until is set.</summary>
public sealed record DelayStep : SequentialStep
{
    public override string Type => "delay";

    /// <summary>How long; a constant, or an expression that gives an ISO 8601 duration.</summary>
    public Template? Duration { get; init; }

    /// <summary>Until when; a constant, or an expression that gives an ISO 8601 instant.</summary>
    public Template? Until { get; init; }
}

/// <summary>Waits for a person: a task is made, which somebody completes.</summary>
public sealed record TaskStep : AwaitingStep
{
    public override string Type => "task";

    /// <summary>Who it is assigned to; null, or a template that gives null, for nobody.</summary>
    public Template? Assignee { get; init; }

    /// <summary>Groups that may take it: a list of texts. Null for none.</summary>
    public Template? Groups { get; init; }
}

/// <summary>Calls a registered activity.</summary>
public sealed record InvokeStep : AwaitingStep
{
    public override string Type => "invoke";
    public required string Activity { get; init; }
    public Template? Input { get; init; }

    /// <summary>How failed attempts are repeated; null fails at once. The timeout is for all attempts and pauses together.</summary>
    public RetryPolicy? Retry { get; init; }

    public string? OnError { get; init; }
}

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
        return grown < longest.TotalSeconds ? TimeSpan.FromSeconds(grown) : InitialInterval == TimeSpan.Zero ? TimeSpan.Zero : longest;
    }
}

/// <summary>Runs a sub-workflow and waits for its end.</summary>
public sealed record CallStep : AwaitingStep
{
    public override string Type => "call";
    public required string Definition { get; init; }

    /// <summary>Definition version; null takes the newest there is when the step begins.</summary>
    public int? Version { get; init; }

    public Template? Input { get; init; }

    /// <summary>The step taken when the sub-workflow failed, was cancelled or could not be started; null fails the instance.</summary>
    public string? OnError { get; init; }
}
