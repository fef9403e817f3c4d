namespace Workflow.Engine.Instances;

/// <summary>
/// What one kind of wait makes beside itself: a waiter, a timer, a task, a call. A feature has one for its steps; instances know their
/// waits by this alone.
/// </summary>
internal abstract class WaitHandler(InstanceHandler instances)
{
    protected InstanceHandler Instances => instances;

    /// <summary>Begins the wait of a step, without what is at its boundary, or goes on at once.</summary>
    public virtual void Begin(LiveInstance instance, StepDefinition step, int scope) =>
        throw new InvalidOperationException($"A step of type '{step.Type}' does not wait by itself.");

    /// <summary>Begins a wait that is made already: an event of a step, or one that a retry begins again.</summary>
    /// <param name="brought">What was there for it.</param>
    /// <returns>Whether it is over at once.</returns>
    public virtual bool TryEnd(LiveInstance instance, Wait wait, out Value brought)
    {
        instances.BeginWait(instance, wait);
        brought = Value.Null;
        return false;
    }

    /// <summary>The wait of a step is over, and removed: its token moves on.</summary>
    /// <param name="value">What it brought; null where it has failed.</param>
    /// <param name="error">Why it has failed; null where it has not.</param>
    public virtual void GoOn(LiveInstance instance, Wait wait, Value value, InstanceError? error) =>
        throw new InvalidOperationException($"The wait of step '{wait.Step}' brings nothing.");

    /// <summary>Undoes what a wait has made beside itself, as it ends by something else.</summary>
    /// <param name="state">What becomes of a task.</param>
    public virtual void End(LiveInstance instance, Wait wait, TaskState state)
    {
    }

    public virtual void Suspend(LiveInstance instance, Wait wait)
    {
    }

    /// <summary>Its instance is resumed, and its timers are set again.</summary>
    public virtual void Wake(LiveInstance instance, Wait wait)
    {
    }

    /// <summary>A time of the wait has come that is not its end.</summary>
    public virtual void BeginAttempt(LiveInstance instance, Wait wait) =>
        throw new InvalidOperationException($"The wait of step '{wait.Step}' has no attempts.");

    /// <summary>Adds to memory what a wait that is committed has beside itself, but for its timers.</summary>
    public virtual void Restore(LiveInstance instance, Wait wait)
    {
    }

    /// <summary>Undoes <see cref="Restore"/>.</summary>
    public virtual void Remove(LiveInstance instance, Wait wait)
    {
    }
}

/// <summary>The wait of a step that is called for each of several elements: it holds what has come of them.</summary>
internal interface IElementCalls
{
    /// <summary>The wait of an element is over, and removed: the next one is called, or the step is over.</summary>
    void EndElement(LiveInstance instance, Wait element, Value output, InstanceError? error);

    /// <summary>
    /// An instance fails: elements that have ended while it was suspended are kept in the step's own wait, so that a retry does not call
    /// them again.
    /// </summary>
    void KeepEnded(LiveInstance instance);
}

/// <summary>Where the times of waits are kept.</summary>
internal interface IWaitTimers
{
    /// <summary>Sets what a wait has of timers: its own, and that of its activity's next attempt.</summary>
    void Set(LiveInstance instance, Wait wait);
}

/// <summary>The features of a lane's waits, by kind. Each is set once, where a lane is put together.</summary>
internal sealed class WaitHandlers
{
    private readonly WaitHandler?[] _handlers = new WaitHandler?[Enum.GetValues<WaitKind>().Length];

    public IWaitTimers Timers { get; set; } = null!;
    public IElementCalls Elements { get; set; } = null!;

    public WaitHandler this[WaitKind kind]
    {
        get => _handlers[(int)kind] ?? throw new InvalidOperationException($"Nothing handles waits of the kind {kind}.");
        set => _handlers[(int)kind] = value;
    }

    /// <summary>Of a step that waits; null for every other.</summary>
    public WaitHandler? Find(StepDefinition step) => step switch
    {
        WaitSignalStep => this[WaitKind.Signal],
        DelayStep => this[WaitKind.Delay],
        InvokeStep => this[WaitKind.Activity],
        TaskStep => this[WaitKind.Task],
        CallStep => this[WaitKind.Call],
        CallEachStep => this[WaitKind.CallEach],
        _ => null,
    };
}
