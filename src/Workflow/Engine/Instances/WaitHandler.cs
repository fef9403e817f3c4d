namespace Workflow.Engine.Instances;

/// <summary>
/// What one kind of wait creates beside itself: a waiter, a timer, a task, a call. Each feature whose steps wait has
/// one.
/// </summary>
internal abstract class WaitHandler(InstanceHandler instances)
{
    protected InstanceHandler Instances => instances;

    /// <summary>Starts the wait of a step without its boundary, or continues immediately.</summary>
    public virtual void Begin(LiveInstance instance, StepDefinition step, int scope) =>
        throw new InvalidOperationException($"A step of type '{step.Type}' does not wait by itself.");

    /// <summary>Starts a prepared wait: an event of a step, or a wait that a retry starts again.</summary>
    /// <param name="brought">The value that ended the wait.</param>
    /// <returns>Whether the wait ended immediately.</returns>
    public virtual bool TryEnd(LiveInstance instance, Wait wait, out Value brought)
    {
        instances.BeginWait(instance, wait);
        brought = Value.Null;
        return false;
    }

    /// <summary>Continues the token of an ended wait, which is already removed.</summary>
    /// <param name="value">The value that ended the wait; null if it failed.</param>
    /// <param name="error">Why the wait failed; null if it did not fail.</param>
    public virtual void Continue(LiveInstance instance, Wait wait, Value value, InstanceError? error) =>
        throw new InvalidOperationException($"The wait of step '{wait.Step}' brings nothing.");

    /// <summary>Removes what a wait created beside itself, when something else ends the wait.</summary>
    /// <param name="state">The final state of a task.</param>
    public virtual void End(LiveInstance instance, Wait wait, TaskState state)
    {
    }

    public virtual void Suspend(LiveInstance instance, Wait wait)
    {
    }

    /// <summary>Its instance is resumed and its timers are scheduled again.</summary>
    public virtual void Wake(LiveInstance instance, Wait wait)
    {
    }

    /// <summary>A time of the wait is due that does not end it: the next attempt begins.</summary>
    public virtual void BeginAttempt(LiveInstance instance, Wait wait) =>
        throw new InvalidOperationException($"The wait of step '{wait.Step}' has no attempts.");

    /// <summary>Adds to memory what a committed wait has beside itself, except its timers.</summary>
    public virtual void Restore(LiveInstance instance, Wait wait)
    {
    }

    /// <summary>Undoes <see cref="Restore"/>.</summary>
    public virtual void Remove(LiveInstance instance, Wait wait)
    {
    }
}
