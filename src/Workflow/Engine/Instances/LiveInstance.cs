using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace Workflow.Engine.Instances;

/// <summary>An instance in a lane's memory. Only the lane touches it.</summary>
internal sealed class LiveInstance : FlushedInstance
{
    public required Guid Id { get; init; }
    public required short Partition { get; init; }
    public required WorkflowDefinition Definition { get; init; }
    public required string? CorrelationKey { get; init; }

    /// <summary>The instance that called this one; null for one that was started from outside.</summary>
    public Guid? ParentId { get; init; }

    /// <summary>How deep it is nested in calls; 0 without a parent.</summary>
    public int Depth { get; init; }

    public required DateTimeOffset CreatedUtc { get; init; }

    /// <summary>
    /// The trace that it belongs to, as the <c>traceparent</c> of what started it, or of the first signal that has one; null where nobody
    /// recorded that.
    /// </summary>
    public string? Trace { get; set; }

    /// <summary>Changed by <see cref="Assign"/> alone, which keeps their size.</summary>
    public required Dictionary<string, Value> Variables
    {
        get;
        init
        {
            field = value;
            foreach (var (name, variable) in value)
            {
                Size += SizeOf(name, variable);
            }
        }
    }

    /// <summary>About how many characters the variables have as JSON; what is in two of them counts twice.</summary>
    public long Size { get; private set; }

    public DateTimeOffset UpdatedUtc { get; set; }

    public InstanceState State { get; set; } = InstanceState.Running;
    public List<Wait> Waits { get; init; } = [];
    public List<ForkScope> Scopes { get; init; } = [];
    public int LastScope { get; set; }
    public int Children { get; set; }
    public Value Output { get; set; }
    public InstanceError? Error { get; set; }

    /// <summary>Lines written so far; after the limit only a note is written.</summary>
    public int HistoryLines { get; set; }

    /// <summary>History of this batch, not yet sealed. Only an instance that a batch holds has a builder.</summary>
    public StringBuilder History => _history ??= HistoryBuilders.Rent();

    private StringBuilder? _history;

    /// <summary>The history of this batch; that of the next begins anew.</summary>
    public string TakeHistory()
    {
        if (_history is null)
        {
            return "";
        }

        var taken = _history.ToString();
        HistoryBuilders.Return(_history);
        _history = null;
        return taken;
    }

    /// <summary>Signals sent to this instance that no step has consumed yet, oldest first.</summary>
    public List<AcceptedSignal> Inbox { get; } = [];

    public bool IsFinished => State is InstanceState.Completed or InstanceState.Failed or InstanceState.Cancelled;

    /// <summary>The state while no token moves: running as long as an activity runs.</summary>
    public InstanceState StateAtRest => State == InstanceState.Suspended ? InstanceState.Suspended
        : Waits.Exists(w => w.IsActivityRunning) ? InstanceState.Running : InstanceState.Waiting;

    /// <summary>That of its last commit, which holds more than variables, unless they have grown since.</summary>
    public override long RowSize => Math.Max(Size, Committed?.Body.Length ?? 0);

    public override InstanceRow ToRow(JsonBuffer json) => InstanceCodec.ToRow(this, json);

    /// <summary>Sets a variable, where a step names one for its result.</summary>
    public void Assign(string? variable, Value value)
    {
        if (variable is not null)
        {
            ref var slot = ref CollectionsMarshal.GetValueRefOrAddDefault(Variables, variable, out var isKnown);
            Size += SizeOf(variable, value) - (isKnown ? SizeOf(variable, slot) : 0);
            slot = value;
        }
    }

    private static long SizeOf(string name, Value value) => name.Length + 4L + value.Weight;

    // Loops: a lambda would be an object for each search of each command.
    public Wait? FindWait(Guid id)
    {
        foreach (var wait in Waits)
        {
            if (wait.Id == id)
            {
                return wait;
            }
        }

        return null;
    }

    /// <summary>The oldest signal of a name in its inbox.</summary>
    public AcceptedSignal? FindSignal(string name)
    {
        foreach (var signal in Inbox)
        {
            if (signal.Name == name)
            {
                return signal;
            }
        }

        return null;
    }

    public ForkScope? FindScope(int id)
    {
        foreach (var scope in Scopes)
        {
            if (scope.Id == id)
            {
                return scope;
            }
        }

        return null;
    }

    /// <summary>The innermost sub-process around a scope, itself included; null outside of every one.</summary>
    /// <param name="catching">Whether it has to be one that takes errors.</param>
    public ForkScope? FindSubProcess(int scope, bool catching = false)
    {
        var around = FindScope(scope);
        while (around is not null && (Definition.Steps[around.Join] is not SubProcessStep step || (catching && step.OnError is null)))
        {
            around = FindScope(around.Parent);
        }

        return around;
    }

    /// <summary>A scope and those inside it, at any depth.</summary>
    public HashSet<int> ScopesWithin(int scope)
    {
        HashSet<int> within = [scope];

        // Each was opened after the one around it.
        foreach (var one in Scopes)
        {
            if (within.Contains(one.Parent))
            {
                within.Add(one.Id);
            }
        }

        return within;
    }

    /// <summary>Opens the scope of a fork, of a sub-process, or of a step's waits that end together.</summary>
    public ForkScope OpenScope(int parent, string join, int branches)
    {
        var opened = new ForkScope { Id = ++LastScope, Parent = parent, Join = join, Remaining = branches };
        Scopes.Add(opened);
        return opened;
    }
}

/// <summary>A token of an instance at rest: what it waits for, and where it continues.</summary>
internal record Wait
{
    /// <summary>As <see cref="Event"/>: the wait of the step itself, with events at its boundary.</summary>
    public const byte Main = byte.MaxValue;

    /// <summary>As <see cref="Event"/>: the sub-workflow of one of the step's elements, whose number is the input.</summary>
    public const byte Element = Main - 1;

    // One byte, so that the event takes no room of its own.
    private readonly byte _kind;

    /// <summary>A token before a step, which a retry executes.</summary>
    /// <param name="attempts">Of its activity; null where there were none.</param>
    public static Wait Before(string step, int scope, ActivityAttempts? attempts = null) =>
        new() { Id = Guid.Empty, Step = step, Kind = WaitKind.Step, Scope = scope, Attempts = attempts };

    /// <summary>Its own id; a task's is the task's id, a call's is the called instance's.</summary>
    public required Guid Id { get; init; }

    public required string Step { get; init; }
    public required WaitKind Kind { get => (WaitKind)_kind; init => _kind = (byte)value; }

    /// <summary>
    /// The fork or sub-process that the token is in; 0 outside any. With an event, the scope of all waits of the token, inside it; at the
    /// boundary of a sub-process, the sub-process itself.
    /// </summary>
    public required int Scope { get; init; }

    /// <summary>
    /// The event of its step that it waits for, from 1; <see cref="Main"/>, also for the timeout of a sub-process; <see cref="Element"/>; 0
    /// where the token has no other wait.
    /// </summary>
    public byte Event { get; init; }

    public bool IsEvent => Event is > 0 and < Element;

    /// <summary>Name of the signal, the activity or the called definition; the assignee of a task.</summary>
    public string? Name { get; init; }

    public string? Key { get; init; }

    /// <summary>Order in which waits began.</summary>
    public long Position { get; init; }

    public DateTimeOffset? DueUtc { get; init; }
    public Value Input { get; init; }

    /// <summary>Failed attempts of the activity; null before the first failure.</summary>
    public ActivityAttempts? Attempts { get; init; }

    /// <summary>True while an activity runs; false while it waits for its next attempt, and for every other kind.</summary>
    public bool IsActivityRunning => Kind == WaitKind.Activity && Attempts?.NextUtc is null && !IsReady;

    /// <summary>Whether a timer of that time is still needed: the timeout's, or the next attempt's.</summary>
    public bool IsDue(DateTimeOffset due) => DueUtc == due || Attempts?.NextUtc == due;

    /// <summary>
    /// Whether it waits for nothing but its instance, which is suspended or has failed. Whatever it had made beside itself is over.
    /// </summary>
    public bool IsReady => Kind == WaitKind.Step || this is EndedWait;
}

/// <summary>A wait that has ended while its instance was suspended: its token moves on once that is resumed.</summary>
internal sealed record EndedWait : Wait
{
    [SetsRequiredMembers]
    public EndedWait(Wait ended, Value value, InstanceError? error)
        : base(ended) => (Value, Error) = (value, error);

    /// <summary>What it brought: a payload, a result or an output.</summary>
    public Value Value { get; }

    /// <summary>Why an activity or a sub-workflow has failed; null where it has not.</summary>
    public InstanceError? Error { get; }
}

internal enum WaitKind
{
    Signal,
    Delay,
    Activity,
    Task,
    Call,

    /// <summary>For nothing: a token of a failed instance, before its step.</summary>
    Step,

    /// <summary>For sub-workflows of several elements: its input holds them and what has come of them.</summary>
    CallEach,
}

/// <summary>The attempts of an activity with a retry policy.</summary>
/// <param name="Failed">Attempts that failed, 1 or more.</param>
/// <param name="NextUtc">When the next one begins; null while it runs.</param>
internal sealed record ActivityAttempts(int Failed, DateTimeOffset? NextUtc);

/// <summary>
/// A fork whose branches have not all arrived; a sub-process whose tokens have not all ended; or the waits of one token, which end
/// together.
/// </summary>
internal sealed class ForkScope
{
    public required int Id { get; init; }
    public required int Parent { get; init; }

    /// <summary>The join of the fork; the sub-process; the step whose waits they are.</summary>
    public required string Join { get; init; }

    /// <summary>Branches that have not arrived or ended; tokens of the sub-process that have not; 0 of the waits of one token.</summary>
    public required int Remaining { get; set; }

    /// <summary>Branches that arrived at the join; the others ended before it.</summary>
    public int Arrived { get; set; }
}
