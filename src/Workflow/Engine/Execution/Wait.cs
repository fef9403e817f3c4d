using Workflow.Abstractions;

namespace Workflow.Engine.Execution;

/// <summary>A token of an instance at rest: what it waits for, and where it goes on.</summary>
internal sealed record Wait
{
    /// <summary>Its own; of a task the task's, of a call the called instance's.</summary>
    public required Guid Id { get; init; }

    public required string Step { get; init; }

    public required WaitKind Kind { get; init; }

    /// <summary>The fork the token belongs to; 0 outside any.</summary>
    public required int Scope { get; init; }

    /// <summary>Name of the signal, the activity or the called definition; the assignee of a task.</summary>
    public string? Name { get; init; }

    /// <summary>Correlation key of the awaited signal.</summary>
    public string? Key { get; init; }

    /// <summary>Order in which waits began.</summary>
    public long Position { get; init; }

    public DateTimeOffset? DueUtc { get; init; }

    /// <summary>Input of the activity, so that it can be called again after a restart.</summary>
    public Value Input { get; init; }

    /// <summary>Failed attempts of the activity; null before the first failure.</summary>
    public ActivityAttempts? Attempts { get; init; }

    /// <summary>True while an activity is called, false while its next attempt is put off and for every other kind.</summary>
    public bool IsActivityUnderWay => Kind == WaitKind.Activity && Attempts?.NextUtc is null;

    /// <summary>Whether a timer of that time is still wanted: the timeout's, or the next attempt's.</summary>
    public bool IsDue(DateTimeOffset due) => DueUtc == due || Attempts?.NextUtc == due;
}
