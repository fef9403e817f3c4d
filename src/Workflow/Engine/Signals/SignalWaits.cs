using Workflow.Abstractions.Expressions;

namespace Workflow.Engine.Signals;

/// <summary>
/// Waits for signals. The waiter of a key is in the lane of the key's partition. If that is another partition than the
/// instance's, a durable subscription represents the wait there.
/// </summary>
internal sealed class SignalWaits(
    InstanceHandler instances, SignalStore signals, DeadLetterHandler deadLetters, LaneState lane)
    : WaitHandler(instances)
{
    public override void Begin(LiveInstance instance, StepDefinition step, int scope)
    {
        var waiting = (WaitSignalStep)step;
        var steps = Instances.Steps;
        if (!steps.TryEvaluateKey(instance, step.Id, waiting.Correlation, out var key)
            || !steps.TryAddWait(instance, step))
        {
            return;
        }

        var wait = Instances.NewWait(step.Id, WaitKind.Signal, scope) with
        {
            Name = waiting.Signal,
            Key = key,
            DueUtc = waiting.Timeout is { } timeout ? lane.Now + timeout : null,
        };
        InstanceHistory.Append(instance, lane.Now, "waiting", step.Id, waiting.Signal);
        if (TryEnd(instance, wait, out var payload) && steps.TrySpend(step.Id, Evaluation.WorkOfWriting(payload)))
        {
            InstanceHistory.Append(instance, lane.Now, "signalled", step.Id, waiting.Signal);
            instance.Assign(waiting.Result, payload);
            Instances.Interpreter.Go(waiting.Next, scope);
        }
    }

    /// <summary>Consumes a signal that is already there, or registers the waiter.</summary>
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
            if (!lane.Host.Owns(partition))
            {
                new PartitionMessage
                {
                    WaitId = wait.Id,
                    InstanceId = instance.Id,
                    Name = wait.Name!,
                    Key = wait.Key,
                    Position = wait.Position,
                }.Send(lane, partition, PartitionMessage.Subscribe);
            }
            else if (signals.Index.TakeSignal(wait.Name!, wait.Key) is { } buffered)
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

    public override void Continue(LiveInstance instance, Wait wait, Value value, InstanceError? error) =>
        Instances.Tokens.Continue(
            instance, wait, (WaitSignalStep)instance.Definition.Steps[wait.Step], value, "signalled", wait.Name);

    public override void End(LiveInstance instance, Wait wait, TaskState state)
    {
        if (wait.Key is null)
        {
            return;
        }

        var partition = Partitioning.OfKey(wait.Key);
        if (lane.Host.Owns(partition))
        {
            Remove(partition, wait.Name!, wait.Key, wait.Id, instance.Id);
        }
        else
        {
            new PartitionMessage { WaitId = wait.Id, InstanceId = instance.Id, Name = wait.Name!, Key = wait.Key }
                .Send(lane, partition, PartitionMessage.Unsubscribe);
        }
    }

    /// <summary>Adds the waiter, unless its key belongs to another partition, which has it as a subscription.</summary>
    public override void Restore(LiveInstance instance, Wait wait)
    {
        if (IsOfOwnPartition(instance, wait))
        {
            signals.Index.AddWaiter(wait.Name!, wait.Key!, new(wait.Id, instance.Id, wait.Position, Subscribed: false));
        }
    }

    public override void Remove(LiveInstance instance, Wait wait)
    {
        if (IsOfOwnPartition(instance, wait))
        {
            signals.Index.RemoveWaiter(wait.Name!, wait.Key!, wait.Id);
        }
    }

    /// <summary>Adds a committed subscription to memory during a load.</summary>
    public void Load(Subscription subscription) => signals.Index.AddWaiter(
        subscription.Name,
        subscription.CorrelationKey,
        new(subscription.Id, subscription.InstanceId, subscription.Position, Subscribed: true));

    /// <exception cref="StoreReadNeededException">An older waiter may be in the store.</exception>
    public void Add(short partition, string name, string key, Guid waitId, Guid instanceId, long position)
    {
        lane.Dormancy.RequireSlot(name, key);
        var subscribed = Partitioning.OfInstance(instanceId) != partition;
        signals.Index.AddWaiter(name, key, new(waitId, instanceId, position, subscribed));
        if (subscribed)
        {
            AddSubscription(new(waitId, partition, name, key, instanceId, position));
        }
    }

    public void Remove(short partition, string name, string key, Guid waitId, Guid instanceId)
    {
        deadLetters.CloseSubscription(waitId);
        if (signals.Index.RemoveWaiter(name, key, waitId) is { } removed
            && Partitioning.OfInstance(instanceId) != partition)
        {
            RemoveSubscription(name, key, removed);
        }
    }

    private void AddSubscription(Subscription added)
    {
        lane.Batch.AddPending(added);
        lane.Batch.OnRollBack(() => signals.Index.RemoveWaiter(added.Name, added.CorrelationKey, added.Id));
    }

    /// <summary>Removes the row of a subscription whose waiter was taken.</summary>
    public void RemoveSubscription(string name, string key, Waiter waiter)
    {
        lane.Batch.RemovePending(waiter.WaitId);
        lane.Batch.OnRollBack(() => signals.Index.AddWaiter(name, key, waiter));
    }

    /// <summary>
    /// Records that a signal moves an instance. An instance without a trace joins the trace of the signal.
    /// </summary>
    /// <param name="cause">The trace of the signal; null if it has none.</param>
    public void JoinTrace(LiveInstance instance, string? cause)
    {
        instance.Trace ??= cause;
        if (instance.Trace is { } trace && Tracing.IsOn)
        {
            lane.Batch.Launches.Add(Tracing.Resumption(
                instance.Definition.Name, instance.Id, trace, cause, lane.Command.AcceptedUtc));
        }
    }

    /// <summary>
    /// Whether the key of a wait belongs to the partition of its instance, so that the wait itself is the waiter.
    /// </summary>
    public static bool IsOfOwnPartition(LiveInstance instance, Wait wait) =>
        wait.Key is not null && Partitioning.OfKey(wait.Key) == instance.Partition;

    private Value Consume(LiveInstance instance, AcceptedSignal signal)
    {
        signals.Remove(signal);
        lane.Batch.Tally.SignalsConsumed++;
        JoinTrace(instance, signal.TraceParent);
        return signal.ReadPayload();
    }
}
