using Workflow.Abstractions.Expressions;

namespace Workflow.Engine.Signals;

/// <summary>
/// Waits for signals. The waiter of a key is in the lane of the key's partition: where that is another one, a durable subscription stands
/// for it there.
/// </summary>
internal sealed class SignalWaits : WaitHandler
{
    private readonly SignalStore _signals;
    private readonly DeadLetterHandler _deadLetters;
    private readonly LaneContext _lane;

    public SignalWaits(InstanceHandler instances, SignalStore signals, DeadLetterHandler deadLetters, LaneContext lane)
        : base(instances)
    {
        _signals = signals;
        _deadLetters = deadLetters;
        _lane = lane;
        instances.Waits[WaitKind.Signal] = this;
    }

    public override void Begin(LiveInstance instance, StepDefinition step, int scope)
    {
        var waiting = (WaitSignalStep)step;
        var steps = Instances.Steps;
        if (!steps.TryKey(instance, step.Id, waiting.Correlation, out var key) || !steps.TryRest(instance, step))
        {
            return;
        }

        var wait = Instances.NewWait(step.Id, WaitKind.Signal, scope) with
        {
            Name = waiting.Signal,
            Key = key,
            DueUtc = waiting.Timeout is { } timeout ? _lane.Now + timeout : null,
        };
        InstanceHistory.Append(instance, _lane.Now, "waiting", step.Id, waiting.Signal);
        if (TryEnd(instance, wait, out var payload) && steps.TrySpend(step.Id, Evaluation.WorkOfWriting(payload)))
        {
            InstanceHistory.Append(instance, _lane.Now, "signalled", step.Id, waiting.Signal);
            instance.Assign(waiting.Result, payload);
            Instances.Interpreter.Go(waiting.Next, scope);
        }
    }

    /// <summary>Consumes a signal that is there, or registers the waiter.</summary>
    public override bool TryEnd(LiveInstance instance, Wait wait, out Value brought)
    {
        if (instance.FindSignal(wait.Name!) is { } own)
        {
            instance.Inbox.Remove(own);
            brought = Consume(instance, own);
            return true;
        }

        if (wait.Key is not null)
        {
            var partition = Partitioning.OfKey(wait.Key);
            if (!_lane.Host.Owns(partition))
            {
                new PartitionMessage
                {
                    WaitId = wait.Id, InstanceId = instance.Id, Name = wait.Name!, Key = wait.Key, Position = wait.Position,
                }.Send(_lane, partition, PartitionMessage.Subscribe);
            }
            else if (_signals.Index.TakeSignal(wait.Name!, wait.Key) is { } buffered)
            {
                brought = Consume(instance, buffered);
                return true;
            }
            else
            {
                Add(partition, wait.Name!, wait.Key, wait.Id, instance.Id, wait.Position);
            }
        }

        Instances.BeginWait(instance, wait);
        brought = Value.Null;
        return false;
    }

    public override void GoOn(LiveInstance instance, Wait wait, Value value, InstanceError? error) => Instances.Tokens.GoOn(
        instance, wait, (WaitSignalStep)instance.Definition.Steps[wait.Step], value, "signalled", wait.Name);

    /// <summary>Removes the waiter or the subscription.</summary>
    public override void End(LiveInstance instance, Wait wait, TaskState state)
    {
        if (wait.Key is null)
        {
            return;
        }

        var partition = Partitioning.OfKey(wait.Key);
        if (_lane.Host.Owns(partition))
        {
            Remove(partition, wait.Name!, wait.Key, wait.Id, instance.Id);
        }
        else
        {
            new PartitionMessage { WaitId = wait.Id, InstanceId = instance.Id, Name = wait.Name!, Key = wait.Key }
                .Send(_lane, partition, PartitionMessage.Unsubscribe);
        }
    }

    /// <summary>A key of another partition has its waiter there, as a subscription.</summary>
    public override void Restore(LiveInstance instance, Wait wait)
    {
        if (IsOfOwnPartition(instance, wait))
        {
            _signals.Index.AddWaiter(wait.Name!, wait.Key!, new(wait.Id, instance.Id, wait.Position, Subscribed: false));
        }
    }

    public override void Remove(LiveInstance instance, Wait wait)
    {
        if (IsOfOwnPartition(instance, wait))
        {
            _signals.Index.RemoveWaiter(wait.Name!, wait.Key!, wait.Id);
        }
    }

    /// <summary>A subscription that is committed is in memory again after a load.</summary>
    public void Load(Subscription subscription) => _signals.Index.AddWaiter(
        subscription.Name,
        subscription.CorrelationKey,
        new(subscription.Id, subscription.InstanceId, subscription.Position, Subscribed: true));

    public void Add(short partition, string name, string key, Guid waitId, Guid instanceId, long position)
    {
        var subscribed = Partitioning.OfInstance(instanceId) != partition;
        _signals.Index.AddWaiter(name, key, new(waitId, instanceId, position, subscribed));
        if (subscribed)
        {
            AddSubscription(new(waitId, partition, name, key, instanceId, position));
        }
    }

    public void Remove(short partition, string name, string key, Guid waitId, Guid instanceId)
    {
        _deadLetters.CloseSubscribing(waitId);
        if (_signals.Index.RemoveWaiter(name, key, waitId) is { } removed && Partitioning.OfInstance(instanceId) != partition)
        {
            RemoveSubscription(name, key, removed);
        }
    }

    private void AddSubscription(Subscription added)
    {
        _lane.Batch.AddPending(added);
        _lane.Batch.OnRollBack(() => _signals.Index.RemoveWaiter(added.Name, added.CorrelationKey, added.Id));
    }

    /// <summary>The waiter of a subscription was taken.</summary>
    public void RemoveSubscription(string name, string key, Waiter waiter)
    {
        _lane.Batch.RemovePending(waiter.WaitId);
        _lane.Batch.OnRollBack(() => _signals.Index.AddWaiter(name, key, waiter));
    }

    /// <summary>A signal moves an instance: one without a trace joins that of the signal.</summary>
    /// <param name="cause">The trace of the signal; null when it has none.</param>
    public void JoinTrace(LiveInstance instance, string? cause)
    {
        instance.Trace ??= cause;
        if (instance.Trace is { } trace && Tracing.IsOn)
        {
            _lane.Batch.Launches.Add(Tracing.Resumption(
                instance.Definition.Name, instance.Id, trace, cause, _lane.Command.AcceptedUtc));
        }
    }

    private static bool IsOfOwnPartition(LiveInstance instance, Wait wait) =>
        wait.Key is not null && Partitioning.OfKey(wait.Key) == instance.Partition;

    private Value Consume(LiveInstance instance, AcceptedSignal signal)
    {
        _signals.Remove(signal);
        _lane.Batch.Tally.SignalsConsumed++;
        JoinTrace(instance, signal.TraceParent);
        return SignalPayload.Of(signal);
    }
}
