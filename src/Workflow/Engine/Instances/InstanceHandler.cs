namespace Workflow.Engine.Instances;

/// <summary>
/// The live instances of a lane, the effects of batches not yet committed included: how one begins and ends. What is between is with
/// <see cref="Tokens"/> and <see cref="Interpreter"/>.
/// </summary>
internal sealed class InstanceHandler
{
    private readonly LaneContext _lane;

    public InstanceHandler(LaneContext lane)
    {
        _lane = lane;
        Steps = new(lane);
        Tokens = new(this, lane);
        Interpreter = new(this, lane);
        Relatives = new(this);
    }

    public Dictionary<Guid, LiveInstance> Live { get; } = [];
    public WaitHandlers Waits { get; } = new();
    public StepEvaluator Steps { get; }
    public TokenHandler Tokens { get; }
    public Interpreter Interpreter { get; }
    public Relatives Relatives { get; }

    /// <summary>Instances whose parent does not wait for them. Parent and child change in one commit, so there should be none.</summary>
    public IEnumerable<LiveInstance> Orphans => Live.Values.Where(i =>
        i.ParentId is { } parent && Live.GetValueOrDefault(parent)?.FindWait(i.Id) is null);

    /// <summary>An id of the partition: of a task or a sub-workflow, which live where their instance does.</summary>
    public Guid NewId(short partition) => Partitioning.NewId(_lane.NewId(), partition);

    public Wait NewWait(string step, WaitKind kind, int scope) =>
        new() { Id = _lane.NewId(), Step = step, Kind = kind, Scope = scope, Position = _lane.NextPosition() };

    public void BeginWait(LiveInstance instance, Wait wait)
    {
        instance.Waits.Add(wait);
        Waits.Timers.Set(instance, wait);
    }

    public InstanceState Start(Guid id, WorkflowDefinition definition, StartCommand request)
    {
        var instance = new LiveInstance
        {
            Id = id,
            Partition = Partitioning.OfInstance(id),
            Definition = definition,
            CorrelationKey = request.CorrelationKey,
            CreatedUtc = _lane.Now,
            Trace = _lane.Command.Trace,
            Variables = VariablesOf(request.Input),
        };
        Add(instance, detail: null);
        Tokens.Run(instance, definition.Start, scope: 0);
        return instance.State;
    }

    /// <summary>A new instance is live, and does not run yet.</summary>
    /// <param name="detail">What started it, for its history.</param>
    public void Add(LiveInstance instance, string? detail)
    {
        Live.Add(instance.Id, instance);
        _lane.Batch.Touch(instance);
        _lane.Batch.Tally.Start(_lane.Command.AcceptedTicks);
        InstanceHistory.Append(instance, _lane.Now, "started", instance.Definition.Start, detail);
    }

    public static Dictionary<string, Value> VariablesOf(Value input) =>
        input.IsNull ? new(StringComparer.Ordinal) : new(input.AsContext(), StringComparer.Ordinal);

    public void Complete(LiveInstance instance)
    {
        Finish(instance, InstanceState.Completed);
        InstanceHistory.Append(instance, _lane.Now, "completed");
        _lane.Batch.Tally.Completed++;
        var (id, stamps) = _lane.NextEvent();
        _lane.Raise(instance.Trace, new InstanceCompleted
        {
            Id = id,
            InstanceId = instance.Id,
            ParentId = instance.ParentId,
            Definition = instance.Definition.Name,
            DefinitionVersion = instance.Definition.Version,
            CorrelationKey = instance.CorrelationKey,
            Output = instance.Output.IsNull ? null : instance.Output.ToJsonElement(),
            Timestamps = stamps,
        });
    }

    public void Fail(LiveInstance instance, InstanceError error)
    {
        error = error with
        {
            Message = StoreLimits.Message(error.Message),
            Expression = error.Expression is { } expression ? StoreLimits.Message(expression) : null,
        };
        instance.Error = error;
        Finish(instance, InstanceState.Failed);
        InstanceHistory.Append(instance, _lane.Now, "failed", error.Step, error.Message);
        _lane.Batch.Tally.Failed++;
        RaiseOf(instance, (id, stamps) => new InstanceFailed
        {
            Id = id,
            Error = error.Message,
            Step = error.Step,
            Code = error.Code,
            Timestamps = stamps,
        });
    }

    /// <returns>False when the instance is not live here.</returns>
    public bool Cancel(Guid id)
    {
        if (Live.GetValueOrDefault(id) is not { } instance)
        {
            return false;
        }

        Cancel(instance, "It was asked for.");
        return true;
    }

    public void Cancel(LiveInstance instance, string reason)
    {
        Finish(instance, InstanceState.Cancelled);
        InstanceHistory.Append(instance, _lane.Now, "cancelled", detail: reason);
        _lane.Batch.Tally.Cancelled++;
        RaiseOf(instance, (id, stamps) => new InstanceCancelled { Id = id, Reason = reason, Timestamps = stamps });
    }

    /// <summary>
    /// Raises an event with what all events have of their instance. It is copied for that: those of every workflow are made whole instead.
    /// </summary>
    public void RaiseOf(LiveInstance instance, Func<string, EventTimestamps, IntegrationEvent> make) =>
        _lane.Raise(instance.Trace, (id, stamps) => make(id, stamps) with
        {
            InstanceId = instance.Id,
            ParentId = instance.ParentId,
            Definition = instance.Definition.Name,
            DefinitionVersion = instance.Definition.Version,
            CorrelationKey = instance.CorrelationKey,
        });

    /// <summary>A row that is committed is live again after a load.</summary>
    public void Load(InstanceRow row, WorkflowDefinition definition) => Restore(InstanceCodec.ToInstance(row, definition));

    /// <summary>
    /// Each instance that a batch has changed becomes what was last committed of it. Of two batches the later goes first.
    /// </summary>
    public void RollBack(LaneBatch batch)
    {
        foreach (LiveInstance changed in batch.Touched)
        {
            // A later batch that was rolled back before may have put another in its place.
            if (Live.Remove(changed.Id, out var current))
            {
                foreach (var wait in current.Waits)
                {
                    if (wait.Kind != WaitKind.Step)
                    {
                        Waits[wait.Kind].Remove(current, wait);
                    }
                }
            }

            // One that had failed is in no memory; its retry reads it again.
            if (changed.Committed is { State: <= InstanceState.Suspended })
            {
                var restored = InstanceCodec.ToCommitted(changed);
                restored.Inbox.AddRange((current ?? changed).Inbox);
                Restore(restored);
            }
        }

        Relatives.Clear();
    }

    private void Restore(LiveInstance instance)
    {
        Live.Add(instance.Id, instance);
        foreach (var wait in instance.Waits)
        {
            _lane.ObservePosition(wait.Position);
            if (!wait.IsReady)
            {
                Waits.Timers.Set(instance, wait);
                Waits[wait.Kind].Restore(instance, wait);
            }
        }
    }

    private void Finish(LiveInstance instance, InstanceState state)
    {
        _lane.Batch.Touch(instance);
        instance.State = state;
        instance.UpdatedUtc = _lane.Now;
        foreach (var wait in instance.Waits)
        {
            Tokens.EndWait(instance, wait, TaskState.Cancelled);
            if (state != InstanceState.Failed)
            {
                TokenHandler.KeepValue(instance, wait);
            }
        }

        if (state == InstanceState.Failed)
        {
            Tokens.KeepAll(instance);
        }
        else
        {
            instance.Scopes.Clear();
            instance.Waits.Clear();
        }

        if (instance.Inbox.Count > 0)
        {
            _lane.Handler<IInboxes>().Expire(instance);
        }

        Live.Remove(instance.Id);
        _lane.Batch.Tally.End(_lane.LastSequence + 1);
        if (instance.ParentId is not null)
        {
            Relatives.Add(instance);
        }
    }
}

/// <summary>Signals sent to an instance that no step has taken.</summary>
internal interface IInboxes
{
    /// <summary>The instance has finished: they expire.</summary>
    void Expire(LiveInstance instance);
}

/// <summary>
/// Called instances that are to run, and those that have finished and return to their parent. They wait until the interpreter is free: it
/// runs one instance at a time.
/// </summary>
internal sealed class Relatives(InstanceHandler instances)
{
    private readonly Queue<LiveInstance> _waiting = new();
    private bool _running;

    public void Add(LiveInstance relative) => _waiting.Enqueue(relative);

    public void Clear()
    {
        _waiting.Clear();
        _running = false;
    }

    /// <summary>Runs called children and resumes the parents of finished ones, until none is left.</summary>
    public void Run()
    {
        if (_running)
        {
            return;
        }

        _running = true;
        while (_waiting.TryDequeue(out var relative))
        {
            if (relative.IsFinished)
            {
                ReturnToParent(relative);
            }
            else
            {
                instances.Tokens.Run(relative, relative.Definition.Start, scope: 0);
            }
        }

        _running = false;
    }

    private void ReturnToParent(LiveInstance child)
    {
        if (instances.Live.GetValueOrDefault(child.ParentId!.Value) is not { } parent
            || parent.FindWait(child.Id) is not { IsReady: false } wait)
        {
            // The parent has finished or timed out, and cancelled the child.
            return;
        }

        instances.Tokens.Take(parent, wait);
        if (child.State == InstanceState.Completed)
        {
            instances.Tokens.GoOn(parent, wait, child.Output);
            return;
        }

        var error = child.Error is { } failed
            ? $"Sub-workflow '{child.Definition.Name}' ({child.Id}) failed{(failed.Step is null ? "" : $" at step '{failed.Step}'")}: "
                + $"{failed.Message}"
            : $"Sub-workflow '{child.Definition.Name}' ({child.Id}) was cancelled.";
        instances.Tokens.GoOn(parent, wait, Value.Null, new InstanceError(error, wait.Step, Code: child.Error?.Code));
    }
}
