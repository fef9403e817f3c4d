using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.Events;
using Workflow.Engine.Diagnostics;
using Workflow.Engine.Instances;
using Workflow.Engine.Signals;
using Workflow.Engine.Timers;

namespace Workflow.Engine.Lanes;

/// <content>Signals: matching with waits, buffering, delivery within and across partitions.</content>
internal sealed partial class LaneExecutor
{
    /// <summary>Why a signal of a client must not be kept; null when it may.</summary>
    public Abstractions.Exceptions.SignalsFullException? WhyFull(SignalCommand request) =>
        SignalRoom.WhyFull(State, request, _options.Limits, _now) is { } full && (request.InstanceId is not null || request.DueAt > _now
            || _host.FindStartedBy(request.Name) is null) ? full : null;

    /// <returns>Whether it was consumed at once; null when its instance is not live here.</returns>
    public bool? AcceptSignal(SignalCommand request, Guid id)
    {
        var signal = RowOf(request, id);
        if (request.InstanceId is not null)
        {
            var delivered = MatchInstanceSignal(signal, request.Payload);
            Batch.Tally.Signals += delivered is null ? 0 : 1;
            return delivered;
        }

        Batch.Tally.Signals++;
        if (signal.DueUtc is { } due)
        {
            StoreSignal(signal);
            State.Timers.Add(TimerEntry.ForSignal(due, id));
            return false;
        }

        return RouteSignal(signal, request.Payload);
    }

    /// <summary>A signal that another node has accepted. If its instance has finished, it expires with an event.</summary>
    public void AcceptRemoteSignal(SignalCommand request, Guid id)
    {
        if (AcceptSignal(request, id) is null)
        {
            Batch.Tally.Signals++;
            RaiseExpired(RowOf(request, id), "its instance finished before it came");
        }
    }

    public void ConsumeSignal(Guid signalId)
    {
        if (!State.StoredSignals.TryGetValue(signalId, out var signal))
        {
            return;
        }

        RemoveSignal(signal);
        Batch.Tally.SignalsConsumed++;
        Raise(signal.TraceParent, (id, stamps) => new SignalReceived
        {
            Id = id,
            CorrelationKey = signal.CorrelationKey,
            Name = signal.Name,
            DueAt = signal.DueUtc,
            Payload = signal.Payload is null ? null : SignalPayload.Of(signal).ToJsonElement(),
            Timestamps = stamps,
        });
    }

    /// <summary>Begins a signal wait: consumes a buffered signal, or registers the waiter.</summary>
    public bool TryBeginSignalWait(LiveInstance instance, Wait wait, out Value payload)
    {
        if (instance.Inbox.Find(s => s.Name == wait.Name) is { } own)
        {
            instance.Inbox.Remove(own);
            RemoveSignal(own);
            Batch.Tally.SignalsConsumed++;
            JoinTrace(instance, own);
            payload = SignalPayload.Of(own);
            return true;
        }

        if (wait.Key is not null)
        {
            var partition = Partitioning.OfKey(wait.Key);
            if (!_host.Owns(partition))
            {
                Send(partition, PartitionMessage.Subscribe,
                    new() { WaitId = wait.Id, InstanceId = instance.Id, Name = wait.Name!, Key = wait.Key, Position = wait.Position });
            }
            else if (State.Signals.TakeSignal(wait.Name!, wait.Key) is { } buffered)
            {
                RemoveSignal(buffered);
                Batch.Tally.SignalsConsumed++;
                JoinTrace(instance, buffered);
                payload = SignalPayload.Of(buffered);
                return true;
            }
            else
            {
                AddWaiter(partition, wait.Name!, wait.Key, wait.Id, instance.Id, wait.Position);
            }
        }

        BeginTimer(instance, wait);
        payload = Value.Null;
        return false;
    }

    public void BeginTimer(LiveInstance instance, Wait wait)
    {
        instance.Waits.Add(wait);
        State.AddTimers(instance, wait);
    }

    public Wait NewWait(string step, WaitKind kind, int scope) =>
        new() { Id = _runtime.NewId(_now), Step = step, Kind = kind, Scope = scope, Position = State.NextPosition(_now) };

    public Abstractions.Activities.Activity? FindActivity(string name) => _host.FindActivity(name);

    /// <summary>Applies a message of another partition, and removes it in the same commit.</summary>
    public void ApplyMessage(MessageRow message)
    {
        Batch.RemoveMessage(message.Id);
        ApplyMessage(message.Partition, message.Kind, PartitionMessage.Parse(message.Body));
    }

    /// <summary>A command of another node was applied or refused: its message goes and its reply is written in the same commit.</summary>
    public void AddReply(MessageRow message, string? reply)
    {
        Batch.RemoveMessage(message.Id);
        if (reply is not null)
        {
            Batch.AddReply(new(message.Id, reply, _now));
        }
    }

    private SignalRow RowOf(SignalCommand request, Guid id) => new()
    {
        Id = id,
        Partition = request.InstanceId is { } target ? Partitioning.OfInstance(target) : Partitioning.OfKey(request.CorrelationKey!),
        Name = request.Name,
        CorrelationKey = request.CorrelationKey,
        InstanceId = request.InstanceId,
        Payload = request.Payload.IsNull ? null : request.Payload.ToString(),
        Position = State.NextPosition(_now),
        AcceptedUtc = _now,
        DueUtc = request.DueAt > _now ? request.DueAt.Value.ToUniversalTime() : null,
        ExpiresUtc = (request.DueAt > _now ? request.DueAt.Value.ToUniversalTime() : _now) + _options.SignalTimeToLive,
        TraceParent = _command.Trace,
    };

    /// <summary>Routes a due signal to its receiver, or to the oldest waiter.</summary>
    private bool RouteSignal(SignalRow signal, Value payload)
    {
        if (_host.FindReceiver(signal.Name) is { } receiver)
        {
            StoreSignal(signal);
            LaunchReceiver(signal, receiver);
            return false;
        }

        return MatchSignal(signal, payload);
    }

    private void ApplyMessage(short partition, string kind, PartitionMessage body)
    {
        switch (kind)
        {
            case PartitionMessage.Subscribe when State.Signals.TakeSignal(body.Name, body.Key) is { } buffered:
                RemoveSignal(buffered);
                DeliverSignal(body.InstanceId, body.WaitId, buffered);
                break;
            case PartitionMessage.Subscribe:
                AddWaiter(partition, body.Name, body.Key, body.WaitId, body.InstanceId, body.Position);
                break;
            case PartitionMessage.Unsubscribe:
                RemoveWaiter(partition, body.Name, body.Key, body.WaitId, body.InstanceId);
                break;
            case PartitionMessage.Deliver:
                DeliverSignal(body.InstanceId, body.WaitId, body.Signal!);
                break;
            case PartitionMessage.Return:
                MatchSignal(body.Signal!, SignalPayload.Of(body.Signal!));
                break;
            default:
                throw new InvalidOperationException($"A message between partitions is of the unknown kind '{kind}'.");
        }
    }

    private bool? MatchInstanceSignal(SignalRow signal, Value payload)
    {
        if (State.Instances.GetValueOrDefault(signal.InstanceId!.Value) is not { } instance)
        {
            return null;
        }

        if (instance.Waits.Find(w => w.Kind == WaitKind.Signal && w.Name == signal.Name && !w.IsReady) is { } wait)
        {
            Batch.Touch(instance);
            EndSignalWait(instance, wait);
            ConsumeSignal(instance, wait, signal, payload);
            return true;
        }

        StoreSignal(signal);
        instance.Inbox.Add(signal);
        State.Timers.Add(TimerEntry.ForSignal(signal.ExpiresUtc, signal.Id));
        return false;
    }

    private bool MatchSignal(SignalRow signal, Value payload)
    {
        while (State.Signals.TakeWaiter(signal.Name, signal.CorrelationKey!) is { } waiter)
        {
            if (waiter.Subscribed)
            {
                RemoveSubscription(signal.Name, signal.CorrelationKey!, waiter);
                DeliverSignal(waiter.InstanceId, waiter.WaitId, signal);
                return _host.Owns(Partitioning.OfInstance(waiter.InstanceId));
            }

            var instance = State.Instances[waiter.InstanceId];
            ConsumeSignal(instance, instance.FindWait(waiter.WaitId)!, signal, payload);
            return true;
        }

        if (_host.FindStartedBy(signal.Name) is { } definition)
        {
            StartBy(signal, payload, definition);
            return true;
        }

        StoreSignal(signal);
        State.Signals.AddSignal(signal);
        State.Timers.Add(TimerEntry.ForSignal(signal.ExpiresUtc, signal.Id));
        return false;
    }

    /// <summary>A signal starts an instance: it lives where the signal's key does, so that both are one commit.</summary>
    private void StartBy(SignalRow signal, Value payload, WorkflowDefinition definition)
    {
        var variable = definition.StartOn.First(s => s.Signal == signal.Name).Result;
        var hasVariables = variable is null && payload.Kind is ValueKind.Null or ValueKind.Context;
        var instance = new LiveInstance
        {
            Id = NewId(signal.Partition),
            Partition = signal.Partition,
            Definition = definition,
            CorrelationKey = signal.CorrelationKey,
            CreatedUtc = _now,
            UpdatedUtc = _now,
            Trace = signal.TraceParent,
            Variables = VariablesOf(hasVariables ? payload : Value.Null),
        };
        State.Instances.Add(instance.Id, instance);
        Batch.Touch(instance);
        Batch.Tally.Start(_command.AcceptedTicks);
        Batch.Tally.SignalsConsumed++;
        InstanceHistory.Append(instance, _now, "started", definition.Start, signal.Name);
        if (hasVariables || variable is not null)
        {
            instance.Assign(variable, payload);
            Run(instance, definition.Start, scope: 0);
        }
        else
        {
            Fail(instance, new($"The payload of signal '{signal.Name}', which started it, is a {payload.Kind}; it must be an object whose "
                + "members become the first variables. Send one, or name a variable for it with 'result' in 'startOn'.", Step: null));
        }
    }

    private void DeliverSignal(Guid instanceId, Guid waitId, SignalRow signal)
    {
        var partition = Partitioning.OfInstance(instanceId);
        if (!_host.Owns(partition))
        {
            Send(partition, PartitionMessage.Deliver, new() { WaitId = waitId, InstanceId = instanceId, Signal = signal });
        }
        else if (State.Instances.GetValueOrDefault(instanceId) is { } instance && instance.FindWait(waitId) is { IsReady: false } wait)
        {
            ConsumeSignal(instance, wait, signal, SignalPayload.Of(signal));
        }
        else if (_host.Owns(signal.Partition))
        {
            MatchSignal(signal, SignalPayload.Of(signal));
        }
        else
        {
            Send(signal.Partition, PartitionMessage.Return, new() { Signal = signal });
        }
    }

    private void ConsumeSignal(LiveInstance instance, Wait wait, SignalRow signal, Value payload)
    {
        Batch.Touch(instance);
        instance.Waits.Remove(wait);
        Batch.Tally.SignalsConsumed++;
        JoinTrace(instance, signal);
        GoOn(instance, wait, payload);
    }

    private void JoinTrace(LiveInstance instance, SignalRow signal)
    {
        instance.Trace ??= signal.TraceParent;
        if (instance.Trace is { } trace && Tracing.IsOn)
        {
            Batch.Launches.Add(Tracing.Resumption(
                instance.Definition.Name, instance.Id, trace, signal.TraceParent, _command.AcceptedUtc));
        }
    }

    /// <summary>Removes the waiter or the subscription of a signal wait.</summary>
    private void EndSignalWait(LiveInstance instance, Wait wait)
    {
        if (wait is not { Kind: WaitKind.Signal, Key: not null })
        {
            return;
        }

        var partition = Partitioning.OfKey(wait.Key);
        if (_host.Owns(partition))
        {
            RemoveWaiter(partition, wait.Name!, wait.Key, wait.Id, instance.Id);
        }
        else
        {
            Send(partition, PartitionMessage.Unsubscribe,
                new() { WaitId = wait.Id, InstanceId = instance.Id, Name = wait.Name!, Key = wait.Key });
        }
    }

    private void AddWaiter(short partition, string name, string key, Guid waitId, Guid instanceId, long position)
    {
        var subscribed = Partitioning.OfInstance(instanceId) != partition;
        State.Signals.AddWaiter(name, key, new(waitId, instanceId, position, subscribed));
        if (subscribed)
        {
            Batch.AddSubscription(new(waitId, partition, name, key, instanceId, position));
            Batch.OnRollBack(() => State.Signals.RemoveWaiter(name, key, waitId));
        }
    }

    private void RemoveSubscription(string name, string key, Waiter waiter)
    {
        Batch.RemoveSubscription(waiter.WaitId);
        Batch.OnRollBack(() => State.Signals.AddWaiter(name, key, waiter));
    }

    private void RemoveWaiter(short partition, string name, string key, Guid waitId, Guid instanceId)
    {
        CloseSubscribing(waitId);
        if (State.Signals.RemoveWaiter(name, key, waitId) is { } removed && Partitioning.OfInstance(instanceId) != partition)
        {
            RemoveSubscription(name, key, removed);
        }
    }

    private void FireSignalTimer(Guid id, DateTimeOffset due)
    {
        if (!State.StoredSignals.TryGetValue(id, out var signal))
        {
            return;
        }

        if (signal.ExpiresUtc <= _now)
        {
            UnbufferSignal(signal);
            RaiseExpired(signal, $"nobody took it within {_options.SignalTimeToLive}");
        }
        else if (signal.DueUtc != due)
        {
            // It was due before, and waits in the buffer now.
            return;
        }
        else if (_host.FindReceiver(signal.Name) is { } receiver)
        {
            LaunchReceiver(signal, receiver);
        }
        else
        {
            RemoveSignal(signal);
            MatchSignal(signal with { DueUtc = null }, SignalPayload.Of(signal));
        }
    }

    private void LaunchReceiver(SignalRow signal, Abstractions.Events.SignalReceiver receiver) =>
        Batch.Launches.Add(() => _host.LaunchReceiver(signal.Id, receiver, signal.CorrelationKey!, SignalPayload.Of(signal)));

    private void StoreSignal(SignalRow signal)
    {
        State.StoredSignals.Add(signal.Id, signal);
        Batch.AddSignal(signal);
        Batch.OnRollBack(() =>
        {
            State.StoredSignals.Remove(signal.Id);
            RemoveFromBuffer(signal);
        });
    }

    /// <summary>Removes a stored signal from the buffer or the inbox too.</summary>
    private void UnbufferSignal(SignalRow signal)
    {
        RemoveFromBuffer(signal);
        RemoveSignal(signal);
    }

    private void RemoveFromBuffer(SignalRow signal)
    {
        State.Signals.RemoveSignal(signal.Name, signal.CorrelationKey ?? "", signal.Id);
        if (signal.InstanceId is { } target && State.Instances.GetValueOrDefault(target) is { } instance)
        {
            instance.Inbox.RemoveAll(s => s.Id == signal.Id);
        }
    }

    private void RemoveSignal(SignalRow signal)
    {
        State.StoredSignals.Remove(signal.Id);
        Batch.RemoveSignal(signal.Id);
        Batch.OnRollBack(() =>
        {
            RemoveFromBuffer(signal);
            LaneLoader.AddSignal(State, signal, name => _host.FindReceiver(name) is not null);
        });
    }

    private void RaiseExpired(SignalRow signal, string reason)
    {
        Batch.Tally.SignalsExpired++;
        Raise(signal.TraceParent, (id, stamps) => new SignalExpired
        {
            Id = id,
            InstanceId = signal.InstanceId,
            CorrelationKey = signal.CorrelationKey,
            Name = signal.Name,
            Reason = $"Signal '{signal.Name}' was given up: {reason}.",
            Timestamps = stamps,
        });
    }

    private void Send(short partition, string kind, PartitionMessage body)
    {
        Batch.Tally.Messages++;
        Batch.AddMessage(new(_runtime.NewId(_now), partition, kind, body.ToJson(), State.NextPosition(_now)));
    }
}
