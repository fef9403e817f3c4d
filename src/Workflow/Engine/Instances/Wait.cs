namespace Workflow.Engine.Instances;

/// <summary>A token of an instance at rest: what it waits for, and where it continues.</summary>
internal record Wait
{
    /// <summary>Value of <see cref="Event"/>: the wait of the step itself, which has events at its boundary.</summary>
    public const byte Main = byte.MaxValue;

    /// <summary>
    /// Value of <see cref="Event"/>: the sub-workflow of one of the step's elements. The input is the number of the
    /// element.
    /// </summary>
    public const byte Element = Main - 1;

    // A single byte, so that the event needs no extra memory.
    private readonly byte _kind;

    /// <summary>Creates a token before a step, which a retry executes.</summary>
    /// <param name="caught">The error that the token handles; null if there is none.</param>
    /// <param name="attempts">The attempts of its activity; null if there were none.</param>
    public static Wait Before(string step, int scope, CaughtError? caught, ActivityAttempts? attempts = null) => new()
    {
        Id = Guid.Empty, Step = step, Kind = WaitKind.Step, Scope = scope, Caught = caught, Attempts = attempts,
    };

    /// <summary>The id of the wait. It is also the id of the task or the called instance.</summary>
    public required Guid Id { get; init; }

    public required string Step { get; init; }
    public required WaitKind Kind { get => (WaitKind)_kind; init => _kind = (byte)value; }

    /// <summary>
    /// The fork or sub-process that contains the token; 0 if there is none. With an event, the scope of all waits of
    /// the token, which is inside that; at the boundary of a sub-process, the sub-process itself.
    /// </summary>
    public required int Scope { get; init; }

    /// <summary>
    /// The number of the event that the token waits for, from 1; <see cref="Main"/>, also for the timeout of a
    /// sub-process; <see cref="Element"/>; or 0 if the token has no other wait.
    /// </summary>
    public byte Event { get; init; }

    public bool IsEvent => Event is > 0 and < Element;

    /// <summary>The name of the signal, activity or called definition, or the assignee of a task.</summary>
    public string? Name { get; init; }

    public string? Key { get; init; }

    /// <summary>The order in which waits began.</summary>
    public long Position { get; init; }

    public DateTimeOffset? DueUtc { get; init; }
    public Value Input { get; init; }

    /// <summary>The failed attempts of the activity; null before the first failure.</summary>
    public ActivityAttempts? Attempts { get; init; }

    /// <summary>The error that the token's path handles; null on every other path.</summary>
    public CaughtError? Caught { get; init; }

    /// <summary>
    /// True while an activity runs; false while it waits for its next attempt, and for every other kind.
    /// </summary>
    public bool IsActivityRunning => Kind == WaitKind.Activity && Attempts?.NextUtc is null && !IsReady;

    /// <summary>Whether a timer of this time is still needed for the timeout or the next attempt.</summary>
    public bool IsDue(DateTimeOffset due) => DueUtc == due || Attempts?.NextUtc == due;

    /// <summary>
    /// Whether the wait only waits for its instance, which is suspended or has failed. Everything it created beside
    /// itself is gone.
    /// </summary>
    public bool IsReady => Kind == WaitKind.Step || this is EndedWait;
}
