using System.Globalization;
using Foundation;
using Workflow.Abstractions;
using Workflow.Abstractions.Activities;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Events;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.Events;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Tasks;
using Workflow.Engine.Commands;
using Workflow.Engine.Configuration;
using Workflow.Engine.Flush;
using Workflow.Engine.Instances;
using Workflow.Engine.Timers;

namespace Workflow.Engine.Lanes;

/// <summary>Applies commands to a lane's memory and collects the next commit's rows. Single-threaded, without I/O.</summary>
internal sealed partial class LaneExecutor
{
    private readonly ILaneHost _host;
    private readonly TimeProvider _time;
    private readonly EngineRuntime _runtime;
    private readonly WorkflowEngineOptions _options;
    private readonly Interpreter _interpreter;
    private readonly string _bootId = BootId.Current;
    private readonly JsonBuffer _json = new();
    private LaneCommand _command = null!;
    private DateTimeOffset _now;
    private long _nowTicks;

    public LaneExecutor(ILaneHost host, WorkflowEngineOptions options, TimeProvider time, EngineRuntime runtime)
    {
        _host = host;
        _options = options;
        _time = time;
        _runtime = runtime;
        _interpreter = new Interpreter(this, options);
    }

    public LaneState State { get; private set; } = new();
    public LaneBatch Batch { get; private set; } = new();

    public DateTimeOffset Now => _now;

    /// <summary>An id of the partition: of a task or a sub-workflow, which live where their instance does.</summary>
    public Guid NewId(short partition) => Partitioning.NewId(_runtime.NewId(_now), partition);

    /// <summary>Replaces the memory after a load.</summary>
    public void Reset(LaneState state)
    {
        State = state;
        Batch = new();
        _relatives.Clear();
        _runningRelatives = false;
    }

    public LaneBatch TakeBatch()
    {
        var batch = Batch;
        Batch = new();
        return batch;
    }

    /// <summary>
    /// Takes back all that a batch has changed in memory, without the store: each instance becomes what was last committed of it. Of two
    /// batches the later goes first.
    /// </summary>
    public void RollBack(LaneBatch batch)
    {
        foreach (var changed in batch.Touched)
        {
            // A later batch that was rolled back before may have put another in its place.
            if (State.Instances.Remove(changed.Id, out var current))
            {
                current.Waits.ForEach(w => LaneLoader.RemoveWait(State, current, w));
            }

            // One that had failed is in no memory; its retry reads it again.
            if (changed.Committed is { State: <= InstanceState.Suspended })
            {
                var restored = InstanceCodec.ToCommitted(changed);
                restored.Inbox.AddRange((current ?? changed).Inbox);
                State.Instances.Add(restored.Id, restored);
                restored.Waits.ForEach(w => LaneLoader.AddWait(State, restored, w));
            }
        }

        batch.Undo();
        State.LastSequence -= batch.Events.Count;
        _relatives.Clear();
        _runningRelatives = false;
    }

    public void Execute(LaneCommand command)
    {
        _command = command;
        _now = _time.GetUtcNow();
        _nowTicks = _time.GetTimestamp();
        Batch.Commands.Add(command);
        _interpreter.Begin();
        command.Apply(this);
        RunRelatives();
    }

    public IdempotencyRow? FindKey(string key) => State.FindKey(key);

    public void AddKey(string key, string requestHash, Guid resultId)
    {
        var row = new IdempotencyRow(key, requestHash, resultId, _now);
        State.Remember(row);
        Batch.AddKey(row);
        Batch.OnRollBack(() => State.Forget(key));
    }

    /// <summary>Of several copies of a message only one is applied, once: the snapshot's if it has one.</summary>
    public bool IsToBeApplied(Guid messageId, bool fromSnapshot)
    {
        if (State.LoadedMessages.TryGetValue(messageId, out var applied) != fromSnapshot || applied)
        {
            return false;
        }

        if (fromSnapshot)
        {
            State.LoadedMessages[messageId] = true;
            Batch.OnRollBack(() => State.LoadedMessages[messageId] = false);
            return true;
        }

        if (!State.AppliedMessages.TryAdd(messageId, true))
        {
            return false;
        }

        Batch.OnRollBack(() => State.AppliedMessages.Remove(messageId));
        return true;
    }

    /// <summary>Whether a message that stands for all its copies, e.g. as a dead letter, is to be applied.</summary>
    public bool IsToBeApplied(Guid messageId) => IsToBeApplied(messageId, State.LoadedMessages.ContainsKey(messageId));

    /// <summary>Rebuilds the timer queue from the timers still needed, once it has doubled.</summary>
    public void CompactTimers()
    {
        if (State.Timers.IsWorthCompacting)
        {
            State.Timers.Compact(e => e.SignalId != Guid.Empty
                ? State.StoredSignals.ContainsKey(e.SignalId)
                : State.Instances.GetValueOrDefault(e.InstanceId)?.FindWait(e.WaitId) is { } wait && wait.IsDue(e.DueUtc));
        }
    }

    public InstanceState Start(Guid id, WorkflowDefinition definition, StartCommand request)
    {
        var instance = new LiveInstance
        {
            Id = id,
            Partition = Partitioning.OfInstance(id),
            Definition = definition,
            CorrelationKey = request.CorrelationKey,
            CreatedUtc = _now,
            Trace = _command.Trace,
            Variables = VariablesOf(request.Input),
        };
        State.Instances.Add(id, instance);
        Batch.Touch(instance);
        InstanceHistory.Append(instance, _now, "started", definition.Start);
        Run(instance, definition.Start, scope: 0);
        Batch.Tally.Start(_command.AcceptedTicks);
        return instance.State;
    }

    /// <summary>A timer is due; it may be stale.</summary>
    public void Fire(TimerEntry entry)
    {
        if (entry.SignalId != Guid.Empty)
        {
            FireSignalTimer(entry.SignalId, entry.DueUtc);
            return;
        }

        if (State.Instances.GetValueOrDefault(entry.InstanceId) is not { } instance
            || instance.FindWait(entry.WaitId) is not { } wait || !wait.IsDue(entry.DueUtc)
            || instance.State == InstanceState.Suspended)
        {
            // What falls due while its instance is suspended is due again once that is resumed.
            return;
        }

        if (wait.DueUtc != entry.DueUtc)
        {
            Retry(instance, wait);
            return;
        }

        Batch.Touch(instance);
        instance.Waits.Remove(wait);
        if (wait.IsEvent)
        {
            ResumeByEvent(instance, wait, Value.Null);
            return;
        }

        EndWait(instance, wait, TaskState.TimedOut);
        var (what, next) = instance.Definition.Steps[wait.Step] switch
        {
            DelayStep delay => ("resumed", delay.Next),
            BoundedStep bounded => ("timedOut", bounded.OnTimeout!),
            var other => throw new InvalidOperationException($"A step of type '{other.Type}' has no timer."),
        };
        Resume(instance, wait, what, next);
    }

    /// <summary>Raises an integration event in this batch.</summary>
    /// <param name="trace">The trace of its instance or signal; null for that of the command.</param>
    /// <param name="make">Makes it of its id and its times.</param>
    public void Raise(string? trace, Func<string, EventTimestamps, IntegrationEvent> make)
    {
        var (id, stamps) = NextEvent();
        Raise(trace, make(id, stamps));
    }

    private (string Id, EventTimestamps Stamps) NextEvent()
    {
        var sequence = ++State.LastSequence;
        var executed = _time.GetTimestamp();
        return (string.Create(CultureInfo.InvariantCulture, $"{_host.Stream}-{sequence}"), new()
        {
            AcceptedUtc = _command.AcceptedUtc,
            AcceptedTicks = _command.AcceptedTicks,
            ExecutedUtc = _now,
            ExecutedTicks = executed,
            ExecutionTicks = executed - _nowTicks,
            TicksPerSecond = _time.TimestampFrequency,
            BootId = _bootId,
        });
    }

    private void Raise(string? trace, IntegrationEvent raised)
    {
        trace ??= _command.Trace;
        if (trace is not null)
        {
            raised = raised with { TraceParent = trace };
        }

        var json = _json.Write(raised, EventTypes.Write).ToArray();
        Batch.AddEvent(raised, new(_host.Stream, State.LastSequence, raised.Type, raised.Definition, json, _now));
    }

    /// <summary>
    /// Raises an event with what all events have of their instance. It is copied for that: those of every workflow are made whole instead.
    /// </summary>
    private void RaiseOf(LiveInstance instance, Func<string, EventTimestamps, IntegrationEvent> make) =>
        Raise(instance.Trace, (id, stamps) => make(id, stamps) with
        {
            InstanceId = instance.Id,
            ParentId = instance.ParentId,
            Definition = instance.Definition.Name,
            DefinitionVersion = instance.Definition.Version,
            CorrelationKey = instance.CorrelationKey,
        });

    public void Complete(LiveInstance instance)
    {
        Finish(instance, InstanceState.Completed);
        InstanceHistory.Append(instance, _now, "completed");
        Batch.Tally.Completed++;
        var (id, stamps) = NextEvent();
        Raise(instance.Trace, new InstanceCompleted
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
        InstanceHistory.Append(instance, _now, "failed", error.Step, error.Message);
        Batch.Tally.Failed++;
        RaiseOf(instance, (id, stamps) => new InstanceFailed
        {
            Id = id,
            Error = error.Message,
            Step = error.Step,
            Code = error.Code,
            Timestamps = stamps,
        });
    }

    private void Finish(LiveInstance instance, InstanceState state)
    {
        Batch.Touch(instance);
        instance.State = state;
        instance.UpdatedUtc = _now;
        foreach (var wait in instance.Waits)
        {
            EndWait(instance, wait, TaskState.Cancelled);
            if (state != InstanceState.Failed)
            {
                KeepValue(instance, wait);
            }
        }

        if (state == InstanceState.Failed)
        {
            KeepTokens(instance);
        }
        else
        {
            instance.Scopes.Clear();
            instance.Waits.Clear();
        }

        foreach (var signal in instance.Inbox)
        {
            RemoveSignal(signal);
            RaiseExpired(signal, "its instance finished without taking it");
        }

        instance.Inbox.Clear();
        State.Instances.Remove(instance.Id);
        Batch.Tally.End(State.LastSequence + 1);
        if (instance.ParentId is not null)
        {
            _relatives.Enqueue(instance);
        }
    }

    /// <summary>Undoes what a wait has made beside itself: its waiter, its task or its child.</summary>
    private void EndWait(LiveInstance instance, Wait wait, TaskState taskState)
    {
        if (wait.IsReady)
        {
            return;
        }

        switch (wait.Kind)
        {
            case WaitKind.Signal:
                EndSignalWait(instance, wait);
                break;
            case WaitKind.Task:
                CloseTask(wait, taskState, output: null);
                break;
            case WaitKind.Call:
                CancelChild(instance, wait);
                break;
            case WaitKind.Activity:
                Forget(wait.Id);
                break;
        }
    }

    /// <summary>What came while the instance was suspended is not gone with its token: the variables show it.</summary>
    private static void KeepValue(LiveInstance instance, Wait wait)
    {
        if (wait is EndedWait { Event: not Wait.Element, Error: null } ended)
        {
            instance.Assign(StepEvents.ResultOf(instance.Definition.Steps[ended.Step], ended), ended.Value);
        }
    }

    private void Forget(Guid waitId) => Batch.Launches.Add(() => _host.ForgetActivity(waitId));

    /// <summary>The wait of a token is over, and those that end with it: it goes on.</summary>
    private void Resume(LiveInstance instance, Wait wait, string what, string next, string? detail = null)
    {
        var scope = ScopeAfter(instance, wait);
        InstanceHistory.Append(instance, _now, what, wait.Step, detail);
        Run(instance, next, scope);
    }

    /// <summary>An event of a step came; its wait is removed.</summary>
    private void ResumeByEvent(LiveInstance instance, Wait wait, Value payload)
    {
        var came = StepEvents.Of(instance.Definition.Steps[wait.Step], wait);
        instance.Assign(came.Result, payload);
        if (came.Interrupting)
        {
            Resume(instance, wait, StepEvents.WordOf(instance.Definition.Steps[wait.Step]), came.Next, came.Next);
            return;
        }

        _interpreter.RunBranch(instance, wait, came);
        instance.UpdatedUtc = _now;
        RunRelatives();
    }

    /// <summary>The scope in which the token of a wait goes on, whose other waits end here.</summary>
    private int ScopeAfter(LiveInstance instance, Wait wait) => wait.Event == 0 ? wait.Scope : EndGroup(instance, wait.Scope);

    /// <summary>Ends the waits of one token, or a sub-process with all that is inside.</summary>
    /// <returns>The scope in which the token goes on.</returns>
    public int EndGroup(LiveInstance instance, int scope)
    {
        EndOthers(instance, scope);
        End(instance, wait => wait.Scope == scope);
        var group = instance.FindScope(scope)!;
        instance.Scopes.Remove(group);
        return group.Parent;
    }

    /// <summary>Ends what is still waited for in a group, or inside a sub-process and at its boundary.</summary>
    private void EndOthers(LiveInstance instance, int scope)
    {
        if (instance.FindScope(scope) is { Remaining: > 0 })
        {
            EndInside(instance, scope);
        }

        End(instance, wait => wait.Scope == scope && !wait.IsReady);
    }

    /// <summary>Ends every token inside a sub-process, with all that it waits for; events at its boundary are left.</summary>
    private void EndInside(LiveInstance instance, int scope)
    {
        var within = instance.ScopesWithin(scope);
        _interpreter.Drop(within);
        End(instance, wait => within.Contains(wait.Scope) && (wait.Scope != scope || wait.Event == 0));
        instance.Scopes.RemoveAll(s => s.Id != scope && within.Contains(s.Id));
    }

    private void End(LiveInstance instance, Predicate<Wait> which)
    {
        var ended = instance.Waits.FindAll(which);
        instance.Waits.RemoveAll(which);
        foreach (var wait in ended)
        {
            EndWait(instance, wait, TaskState.Cancelled);
            KeepValue(instance, wait);
        }
    }

    /// <param name="kept">What a failed step had kept for its retry.</param>
    private void Run(LiveInstance instance, string step, int scope, Value kept = default)
    {
        Batch.Touch(instance);
        _interpreter.Run(instance, step, scope, kept);
        instance.UpdatedUtc = _now;
        RunRelatives();
    }
}

/// <summary>What an executor needs from its lane: ownership of partitions, definitions, and work launched after the commit.</summary>
internal interface ILaneHost
{
    int Stream { get; }

    bool Owns(short partition);

    /// <summary>A registered definition, the newest where no version is given; null when there is none.</summary>
    WorkflowDefinition? FindDefinition(string name, int? version);

    /// <summary>The definition of which a signal that nobody waits for starts an instance; null for none.</summary>
    WorkflowDefinition? FindStartedBy(string signalName);

    Activity? FindActivity(string name);

    SignalReceiver? FindReceiver(string signalName);

    /// <param name="trace">The trace context of the instance.</param>
    void LaunchActivity(Guid instanceId, Guid waitId, Activity activity, Value input, string? trace);

    /// <summary>The wait of an activity is over: if it has not been called yet, it is not.</summary>
    void ForgetActivity(Guid waitId);

    void LaunchReceiver(Guid signalId, SignalReceiver receiver, string key, Value payload);
}
