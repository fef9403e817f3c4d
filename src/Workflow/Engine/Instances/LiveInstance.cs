using System.Runtime.InteropServices;
using Workflow.Engine.Timers;

namespace Workflow.Engine.Instances;

/// <summary>An instance in a lane's memory. Only the lane accesses it.</summary>
internal sealed class LiveInstance
{
    public required Guid Id { get; init; }
    public required short Partition { get; init; }
    public required WorkflowDefinition Definition { get; init; }
    public required string? CorrelationKey { get; init; }

    /// <summary>The instance that called this one; null if it was started from outside.</summary>
    public Guid? ParentId { get; init; }

    /// <summary>The nesting depth of calls; 0 without a parent.</summary>
    public int Depth { get; init; }

    public required DateTimeOffset CreatedUtc { get; init; }

    /// <summary>
    /// The trace of the instance: the <c>traceparent</c> of its start, or of the first signal that has one; null if
    /// none was recorded.
    /// </summary>
    public string? Trace { get; set; }

    /// <summary>Only <see cref="Assign"/> changes variables, because it updates their size.</summary>
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

    /// <summary>
    /// The approximate number of characters of the variables as JSON. A value in two variables counts twice.
    /// </summary>
    public long Size { get; private set; }

    public DateTimeOffset UpdatedUtc { get; set; }

    /// <summary>Revision of the last sealed batch that held the instance; 0 before the first.</summary>
    public long Revision { get; set; }

    /// <summary>The state that a roll-back restores; null until a commit holds the instance.</summary>
    public CommittedInstance? Committed { get; set; }

    /// <summary>What the store keeps if the committed row is stored as dormant; null if it is not.</summary>
    public DormantRecord? Dormant { get; set; }

    /// <summary>True from its eviction until the commit that makes it dormant.</summary>
    public bool IsLeaving { get; set; }

    /// <summary>When it was last used, for <see cref="Residents"/>, as the three properties below.</summary>
    public DateTimeOffset UsedUtc { get; set; }

    public long CountedSize { get; set; }

    public LiveInstance? Older { get; set; }

    public LiveInstance? Newer { get; set; }

    /// <summary>True while the open batch holds the instance.</summary>
    public bool IsDirty { get; set; }

    /// <summary>True until a commit holds the retry of the failed instance.</summary>
    public bool IsRetried { get; set; }

    public InstanceState State { get; set; } = InstanceState.Running;
    public List<Wait> Waits { get; init; } = [];
    public List<ForkScope> Scopes { get; init; } = [];
    public int LastScope { get; set; }
    public int Children { get; set; }
    public Value Output { get; set; }
    public InstanceError? Error { get; set; }

    /// <summary>The number of lines written so far. Beyond the limit, only a note is written.</summary>
    public int HistoryLines { get; set; }

    /// <summary>The history of the open batch. Only an instance in a batch has a builder.</summary>
    public StringBuilder History => _history ??= HistoryBuilders.Rent();

    private StringBuilder? _history;

    /// <summary>Returns the history of the batch and starts an empty one.</summary>
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

    /// <summary>Signals sent to this instance that no step has consumed, oldest first.</summary>
    public List<AcceptedSignal> Inbox { get; } = [];

    public bool IsFinished => State is InstanceState.Completed or InstanceState.Failed or InstanceState.Cancelled;

    /// <summary>The state while no token moves: running while an activity runs.</summary>
    public InstanceState StateAtRest => State == InstanceState.Suspended ? InstanceState.Suspended
        : Waits.Exists(w => w.IsActivityRunning) ? InstanceState.Running : InstanceState.Waiting;

    /// <summary>
    /// When the next timer of its waits is due, in whole microseconds as every store keeps them; null if there is none,
    /// or while the instance is suspended, because its timers are scheduled again when it is resumed.
    /// </summary>
    public DateTimeOffset? NextDueUtc
    {
        get
        {
            DateTimeOffset? next = null;
            if (State == InstanceState.Suspended)
            {
                return next;
            }

            foreach (var wait in Waits)
            {
                if (!wait.IsReady)
                {
                    next = DueTimes.Earlier(DueTimes.Earlier(next, wait.DueUtc), wait.Attempts?.NextUtc);
                }
            }

            return next?.AddTicks(-(next.Value.Ticks % TimeSpan.TicksPerMicrosecond));
        }
    }

    /// <summary>
    /// About how many characters the row has now: those of the last committed row, which holds more than the variables,
    /// or the size of the variables if they have grown since.
    /// </summary>
    public long RowSize => Math.Max(Size, Committed?.Body.Length ?? 0);

    /// <summary>Creates the row. The history of the next batch starts empty.</summary>
    public InstanceRow ToRow(JsonBuffer json) => InstanceCodec.ToRow(this, json);

    /// <summary>Sets a variable, if the step names one for its result.</summary>
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

    // Loops instead of lambdas, which would allocate a closure for every search.
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

    /// <summary>Finds the oldest signal with this name in the inbox.</summary>
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

    /// <summary>Whether a scope equals another one or is inside it. Scope 0 contains every scope.</summary>
    public bool IsWithin(int scope, int around)
    {
        while (scope != around)
        {
            if (FindScope(scope) is not { } inner)
            {
                return false;
            }

            scope = inner.Parent;
        }

        return true;
    }

    /// <summary>
    /// Finds the innermost sub-process that contains a scope or is that scope; null if there is none.
    /// </summary>
    /// <param name="catching">Whether the sub-process must handle errors.</param>
    public ForkScope? FindSubProcess(int scope, bool catching = false)
    {
        var around = FindScope(scope);
        while (around is not null
            && (Definition.Steps[around.Join] is not SubProcessStep step || (catching && step.OnError is null)))
        {
            around = FindScope(around.Parent);
        }

        return around;
    }

    /// <summary>Returns a scope and all scopes inside it.</summary>
    public HashSet<int> ScopesWithin(int scope) => ScopesWithin(Scopes, scope);

    public static HashSet<int> ScopesWithin(List<ForkScope> scopes, int scope)
    {
        HashSet<int> within = [scope];

        // Every scope was opened after the one that contains it.
        foreach (var one in scopes)
        {
            if (within.Contains(one.Parent))
            {
                within.Add(one.Id);
            }
        }

        return within;
    }

    /// <summary>Opens the scope of a fork, of a sub-process, or of a group of waits that end together.</summary>
    public ForkScope OpenScope(int parent, string join, int branches)
    {
        var opened = new ForkScope { Id = ++LastScope, Parent = parent, Join = join, Remaining = branches };
        Scopes.Add(opened);
        return opened;
    }
}
