namespace Workflow.Abstractions.Definitions;

/// <summary>Takes its time, which may be limited. Events at its boundary are taken meanwhile.</summary>
public abstract record BoundedStep : SequentialStep
{
    /// <summary>How long it takes at most; null has no limit.</summary>
    public TimeSpan? Timeout { get; init; }

    /// <summary>The step taken when the time is over; set if and only if there is a timeout.</summary>
    public string? OnTimeout { get; init; }

    /// <summary>Null for none. Their order decides where several are there already.</summary>
    public IReadOnlyList<StepEvent>? Boundary { get; init; }
}

/// <summary>Waits for what somebody else brings.</summary>
public abstract record AwaitingStep : BoundedStep
{
    /// <summary>The variable that takes what was waited for.</summary>
    public string? Result { get; init; }
}

/// <summary>
/// Runs the steps from <see cref="Start"/> until the last token among them has ended. They share the instance's variables. Whatever ends it
/// before (an event, the time, an error, an end that terminates) withdraws all that they wait for.
/// </summary>
public sealed record SubProcessStep : BoundedStep
{
    public override string Type => "subProcess";

    /// <summary>The first step inside. What is reached from it is inside, and nothing else leads there.</summary>
    public required string Start { get; init; }

    /// <summary>
    /// The step taken when one inside fails that takes no errors itself, and no sub-process inside around that one does; null leaves the
    /// error to what is around.
    /// </summary>
    public string? OnError { get; init; }

    /// <summary>As of a <see cref="CallingStep"/>.</summary>
    public string? ErrorResult { get; init; }
}

/// <summary>A signal or a time that a step waits for beside others. Exactly one of signal, duration and until is set.</summary>
public sealed record StepEvent
{
    public string? Signal { get; init; }

    /// <summary>The correlation key of the signal; null when it only comes by instance id.</summary>
    public Template? Correlation { get; init; }

    /// <summary>The variable that takes the signal's payload.</summary>
    public string? Result { get; init; }

    /// <summary>As of a <see cref="DelayStep"/>, counted from when the step begins.</summary>
    public Template? Duration { get; init; }

    /// <summary>As of a <see cref="DelayStep"/>.</summary>
    public Template? Until { get; init; }

    /// <summary>The step taken when it comes.</summary>
    public required string Next { get; init; }

    /// <summary>
    /// True: the step is over, and its token goes on at <see cref="Next"/>. False, at a boundary only: the step waits on, and a token more
    /// begins there; a time comes once, a signal as often as it is sent.
    /// </summary>
    public bool Interrupting { get; init; } = true;
}

/// <summary>Waits for the first of several signals and times; the others are withdrawn.</summary>
public sealed record WaitFirstStep : StepDefinition
{
    public override string Type => "waitFirst";

    /// <summary>1 to 32. Of signals that are there already the first in this order is taken.</summary>
    public required IReadOnlyList<StepEvent> Events { get; init; }
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

/// <summary>Calls what may fail.</summary>
public abstract record CallingStep : AwaitingStep
{
    public Template? Input { get; init; }

    /// <summary>The step taken on an error; null fails the instance.</summary>
    public string? OnError { get; init; }

    /// <summary>
    /// The variable that takes <c>{ "code": text or null, "message": text }</c> when <see cref="OnError"/> is taken. The code is that of
    /// the <see cref="FailStep"/> or of the activity's exception.
    /// </summary>
    public string? ErrorResult { get; init; }
}

/// <summary>Calls a registered activity.</summary>
public sealed record InvokeStep : CallingStep
{
    public override string Type => "invoke";
    public required string Activity { get; init; }

    /// <summary>How failed attempts are repeated; null fails at once. The timeout is for all attempts and pauses together.</summary>
    public RetryPolicy? Retry { get; init; }
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

/// <summary>Runs a sub-workflow and waits for its end. It is an error when that failed, was cancelled or could not be started.</summary>
public sealed record CallStep : CallingStep
{
    public override string Type => "call";
    public required string Definition { get; init; }

    /// <summary>Definition version; null takes the newest there is when the step begins.</summary>
    public int? Version { get; init; }
}

/// <summary>
/// Runs a sub-workflow for every element of a list, or a number of times, and waits for them. It is an error when one of them failed, was
/// cancelled or could not be started: the others are cancelled then. The result is the list of their outputs, in the order of the elements.
/// </summary>
public sealed record CallEachStep : CallingStep
{
    /// <summary>The most elements.</summary>
    public const int MaxElements = 1000;

    public override string Type => "callEach";

    public required string Definition { get; init; }

    /// <summary>Definition version; null takes the newest there is when an element is called.</summary>
    public int? Version { get; init; }

    /// <summary>A list of at most <see cref="MaxElements"/>; null where there is a count.</summary>
    public Template? Items { get; init; }

    /// <summary>A whole number from 0 to <see cref="MaxElements"/>; null where there are items.</summary>
    public Template? Count { get; init; }

    /// <summary>The name under which the input sees the element, where there are items.</summary>
    public string Item { get; init; } = "item";

    /// <summary>The name under which the input sees the element's number, from 1.</summary>
    public string Index { get; init; } = "index";

    /// <summary>How many run at a time, 1 or more; null for all.</summary>
    public int? MaxConcurrency { get; init; }

    /// <summary>
    /// Evaluated after each element that has ended; once it is true, the rest is cancelled, or not called. Sees <c>results</c>,
    /// <c>numberOfInstances</c> and its companions, by the names of BPMN.
    /// </summary>
    public Expression? CompletionCondition { get; init; }
}
