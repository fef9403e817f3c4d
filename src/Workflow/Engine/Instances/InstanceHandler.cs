namespace Workflow.Engine.Instances;

/// <summary>
/// The live instances of a lane, including the effects of uncommitted batches. Starts and finishes instances;
/// <see cref="Tokens"/> and <see cref="Interpreter"/> move them in between.
/// </summary>
internal sealed class InstanceHandler
{
    private readonly LaneState _lane;

    public InstanceHandler(LaneState lane)
    {
        _lane = lane;
        Waits = new(lane);
        Steps = new(lane);
        Tokens = new(this, lane);
        Interpreter = new(this, lane);
        CallQueue = new(this, lane);
    }

    /// <summary>The live instances in memory. <see cref="DormancyHandler.Find"/> knows of the others.</summary>
    public Residents Residents { get; } = new();

    public WaitHandlers Waits { get; }
    public StepEvaluator Steps { get; }
    public TokenHandler Tokens { get; }
    public Interpreter Interpreter { get; }
    public CallQueue CallQueue { get; }

    /// <summary>
    /// Instances whose parent does not wait for them. Parent and child change in one commit, so there should be none. A
    /// parent that may be dormant is not judged.
    /// </summary>
    public IEnumerable<LiveInstance> Orphans => Residents.All.Where(i => i.ParentId is { } id
        && (Residents.Find(id) is { } parent ? parent.FindWait(i.Id) is null : _lane.Dormancy.Dormant == 0));

    /// <summary>
    /// Returns an id in the partition, for a task or sub-workflow, which belong to the partition of their instance.
    /// </summary>
    public Guid NewId(short partition) => Partitioning.NewId(_lane.NewId(), partition);

    public Wait NewWait(string step, WaitKind kind, int scope) =>
        new()
        {
            Id = _lane.NewId(),
            Step = step,
            Kind = kind,
            Scope = scope,
            Position = _lane.NextPosition(),
            Caught = Interpreter.Caught,
        };

    public void BeginWait(LiveInstance instance, Wait wait)
    {
        instance.Waits.Add(wait);
        _lane.Timers.Schedule(instance, wait);
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

    /// <summary>Adds a new instance, which does not run yet.</summary>
    /// <param name="detail">What started the instance, for its history.</param>
    /// <exception cref="StoreReadNeededException">Its partition is not recovered yet.</exception>
    public void Add(LiveInstance instance, string? detail)
    {
        _lane.Dormancy.RequirePartition(instance.Partition);
        Residents.Add(instance, _lane.Now);
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

    /// <returns>False if the instance is not live here.</returns>
    public bool Cancel(Guid id)
    {
        if (_lane.Dormancy.Find(id) is not { } instance)
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
    /// Raises an event and adds the members that all events of an instance have. This copies the event, so frequent
    /// events are created complete instead.
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

    /// <summary>Adds the instance of a committed row to memory.</summary>
    public LiveInstance Load(InstanceRow row, WorkflowDefinition definition)
    {
        var instance = InstanceCodec.ToInstance(row, definition);
        Restore(instance);
        _lane.SignalStore.TakeInbox(instance);
        return instance;
    }

    /// <summary>Adds a dormant instance to memory. The store keeps it as dormant until it changes.</summary>
    public LiveInstance LoadDormant(InstanceRow row, WorkflowDefinition definition)
    {
        var instance = Load(row, definition);
        instance.Dormant = DormantRecord.Of(instance);
        return instance;
    }

    /// <summary>Removes from memory what the waits of an instance have there beside it, except their timers.</summary>
    public void RemoveWaits(LiveInstance instance)
    {
        foreach (var wait in instance.Waits)
        {
            if (wait.Kind != WaitKind.Step)
            {
                Waits[wait.Kind].Remove(instance, wait);
            }
        }
    }

    /// <summary>
    /// Returns each instance that a batch has changed to its last committed state. Of two batches, the later one is
    /// rolled back first.
    /// </summary>
    public void RollBack(LaneBatch batch)
    {
        foreach (var changed in batch.Touched)
        {
            _lane.Dormancy.UndoEnd(changed.Id);

            // The roll-back of a later batch may have replaced the instance.
            if (Residents.Remove(changed.Id, out var current))
            {
                RemoveWaits(current);
            }

            // A failed instance is not in memory: its retry reads it again.
            if (changed.Committed is { State: <= InstanceState.Suspended })
            {
                var restored = InstanceCodec.ToCommitted(changed);
                restored.Inbox.AddRange((current ?? changed).Inbox);
                restored.Dormant = changed.Dormant;

                // A command that broke off may have taken a wait from its instance and left what it has beside it.
                RemoveWaits(restored);
                Restore(restored);
            }
        }

        CallQueue.Clear();
    }

    /// <summary>
    /// Brings all children into memory for which the instance waits: what ends their waits cancels them, and one read
    /// must suffice.
    /// </summary>
    public void RequireChildren(LiveInstance instance)
    {
        if (_lane.Dormancy.Dormant > 0)
        {
            _lane.Dormancy.FindAll(
                [.. instance.Waits.Where(w => w.Kind == WaitKind.Call && !w.IsReady).Select(w => w.Id)]);
        }
    }

    private void Restore(LiveInstance instance)
    {
        Residents.Add(instance, _lane.ReadClock());
        foreach (var wait in instance.Waits)
        {
            _lane.ObservePosition(wait.Position);
            if (!wait.IsReady)
            {
                _lane.Timers.Schedule(instance, wait);
                Waits[wait.Kind].Restore(instance, wait);
            }
        }
    }

    private void Finish(LiveInstance instance, InstanceState state)
    {
        RequireChildren(instance);
        _lane.Batch.Touch(instance);
        instance.State = state;
        instance.UpdatedUtc = _lane.Now;
        foreach (var wait in instance.Waits)
        {
            Tokens.EndWait(instance, wait, TaskState.Cancelled);
            if (state != InstanceState.Failed)
            {
                TokenHandler.AssignEndedValue(instance, wait);
            }
        }

        if (state == InstanceState.Failed)
        {
            Tokens.KeepForRetry(instance, instance.Waits);
        }
        else
        {
            instance.Scopes.Clear();
            instance.Waits.Clear();
        }

        if (instance.Inbox.Count > 0)
        {
            _lane.SignalStore.ExpireInbox(instance);
        }

        Residents.Remove(instance.Id, out _);
        _lane.Dormancy.End(instance);
        _lane.Batch.Tally.End(_lane.LastSequence + 1);
        if (instance.ParentId is not null)
        {
            CallQueue.Add(instance);
        }
    }
}
