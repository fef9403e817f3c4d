using Workflow.Contracts.Signals;
using Workflow.Engine.Timers;

namespace Workflow.Engine.Signals;

/// <summary>Matches signals with waits, buffers them, and delivers them within and across partitions.</summary>
internal sealed class SignalHandler(
    InstanceHandler instances, SignalStore signals, SignalWaits waits, DeadLetterHandler deadLetters, LaneState lane)
{
    /// <summary>Returns the refusal of a client's signal that there is no room for; null if it may be stored.</summary>
    public SignalsFullException? CheckRoom(SignalCommand request)
    {
        var inbox = request.InstanceId is { } id ? lane.Dormancy.Find(id) : null;
        var full = SignalRoom.CheckRoom(signals, inbox, request, lane.Options.Limits, lane.Now);
        var starts = full is not null && request.InstanceId is null && !(request.DueAt > lane.Now)
            && lane.Host.FindStartedBy(request.Name) is not null;
        return starts ? null : full;
    }

    /// <returns>Whether the signal was consumed immediately; null if its instance is not live here.</returns>
    public bool? Accept(SignalCommand request, Guid id)
    {
        if (TryConsume(request))
        {
            return true;
        }

        var signal = signals.Create(request, id);
        if (request.InstanceId is not null)
        {
            var delivered = MatchInstance(signal, request.Payload);
            lane.Batch.Tally.Signals += delivered is null ? 0 : 1;
            return delivered;
        }

        lane.Batch.Tally.Signals++;
        if (signal.DueUtc is { } due)
        {
            signals.Store(signal);
            signals.Timers.Add(TimerEntry.ForSignal(due, id));
            return false;
        }

        return Route(signal, request.Payload);
    }

    /// <summary>Creates the reply for a signal that was just accepted and not delivered.</summary>
    public SignalAccepted CreateKeptReply(Guid id) => signals.Stored.TryGetValue(id, out var signal)
        ? new(id, Delivered: false, Duplicate: false, Kept: true, KeptUntil: KeptUntil(signal))

        // The signal is on its way to the node of a waiting instance. If that instance no longer waits, it is stored
        // from now on.
        : new(id, Delivered: false, Duplicate: false, Kept: true, KeptUntil: lane.Now + lane.Options.SignalTimeToLive);

    public SignalAccepted CreateRepeatedReply(Guid id) => signals.Stored.TryGetValue(id, out var signal)
        ? new(id, Delivered: false, Duplicate: true, Kept: true, KeptUntil: KeptUntil(signal))
        : new(id, Delivered: false, Duplicate: true, Kept: deadLetters.Index.Contains(DeadLetterKind.Signal, id));

    /// <summary>
    /// Accepts a signal that another node has accepted. If its instance has finished, the signal expires with an event.
    /// </summary>
    public void AcceptRemote(SignalCommand request, Guid id)
    {
        if (Accept(request, id) is null)
        {
            lane.Batch.Tally.Signals++;
            signals.RaiseExpired(signals.Create(request, id), "its instance finished before it came");
        }
    }

    /// <summary>Consumes the signal of a receiver that has returned. Nothing happens if the signal is gone.</summary>
    public void Consume(Guid signalId)
    {
        if (!signals.Stored.TryGetValue(signalId, out var signal))
        {
            return;
        }

        signals.Remove(signal);
        lane.Batch.Tally.SignalsConsumed++;
        lane.Raise(signal.TraceParent, (id, stamps) => new SignalReceived
        {
            Id = id,
            CorrelationKey = signal.CorrelationKey,
            Name = signal.Name,
            DueAt = signal.DueUtc,
            Payload = signal.Payload is null ? null : signal.ReadPayload().ToJsonElement(),
            Timestamps = stamps,
        });
    }

    /// <inheritdoc cref="LaneCommand.NoteNeeds"/>
    public void NoteNeeds(string kind, PartitionMessage body)
    {
        switch (kind)
        {
            case PartitionMessage.Subscribe:
                lane.Dormancy.TryNeedSlot(body.Name, body.Key);
                break;
            case PartitionMessage.Deliver:
                lane.Dormancy.TryNeed(body.InstanceId);
                break;
            case PartitionMessage.Return:
                lane.Dormancy.TryNeedSlot(body.Signal!.Name, body.Signal.CorrelationKey!);
                break;
        }
    }

    /// <inheritdoc cref="LaneCommand.NoteNeeds"/>
    public void NoteNeeds(Guid signalId)
    {
        if (signals.Stored.TryGetValue(signalId, out var signal) && signal.CorrelationKey is { } key)
        {
            lane.Dormancy.TryNeedSlot(signal.Name, key);
        }
    }

    public void Apply(short partition, string kind, PartitionMessage body)
    {
        switch (kind)
        {
            case PartitionMessage.Subscribe when signals.Index.TakeSignal(body.Name, body.Key) is { } buffered:
                signals.Remove(buffered);
                Deliver(body.InstanceId, body.WaitId, buffered);
                break;
            case PartitionMessage.Subscribe:
                waits.Add(partition, body.Name, body.Key, body.WaitId, body.InstanceId, body.Position);
                break;
            case PartitionMessage.Unsubscribe:
                waits.Remove(partition, body.Name, body.Key, body.WaitId, body.InstanceId);
                break;
            case PartitionMessage.Deliver:
                Deliver(body.InstanceId, body.WaitId, body.Signal!);
                break;
            case PartitionMessage.Return:
                Match(body.Signal!, body.Signal!.ReadPayload());
                break;
            default:
                throw new InvalidOperationException($"A message between partitions is of the unknown kind '{kind}'.");
        }
    }

    /// <summary>
    /// A timer of a signal is due: the signal is delivered or expires. A stale timer changes nothing.
    /// </summary>
    public void Fire(Guid signalId, DateTimeOffset due)
    {
        if (!signals.Stored.TryGetValue(signalId, out var signal))
        {
            return;
        }

        if (signal.ExpiresUtc <= lane.Now)
        {
            signals.Unbuffer(signal);
            signals.RaiseExpired(signal, $"nobody took it within {lane.Options.SignalTimeToLive}");
        }
        else if (signal.DueUtc != due)
        {
            // The signal was due earlier and is buffered now.
            return;
        }
        else if (lane.Host.FindReceiver(signal.Name) is { } receiver)
        {
            Launch(signal, receiver);
        }
        else
        {
            signals.Remove(signal);
            Match(signal with { DueUtc = null }, signal.ReadPayload());
        }
    }

    /// <summary>A new signal becomes a dead letter. It counts as accepted.</summary>
    public void DeadLetter(SignalCommand request, Guid signalId, Guid deadLetterId, string reason, int attempts)
    {
        lane.Batch.Tally.Signals++;
        deadLetters.Add(DraftOf(signals.Create(request, signalId)), deadLetterId, reason, attempts);
    }

    /// <summary>A stored signal becomes a dead letter. Nothing happens if it is gone.</summary>
    public void DeadLetter(Guid signalId, Guid deadLetterId, string reason, int attempts)
    {
        if (signals.Stored.TryGetValue(signalId, out var signal))
        {
            signals.Unbuffer(signal);
            deadLetters.Add(DraftOf(signal), deadLetterId, reason, attempts);
        }
    }

    /// <summary>When the signal expires; null if a receiver takes it, because its time is not limited.</summary>
    private DateTimeOffset? KeptUntil(AcceptedSignal signal) =>
        lane.Host.FindReceiver(signal.Name) is null || signal.InstanceId is not null ? signal.ExpiresUtc : null;

    /// <summary>Routes a due signal to its receiver or to the oldest waiter.</summary>
    private bool Route(AcceptedSignal signal, Value payload)
    {
        if (lane.Host.FindReceiver(signal.Name) is { } receiver)
        {
            signals.Store(signal);
            Launch(signal, receiver);
            return false;
        }

        return Match(signal, payload);
    }

    private bool? MatchInstance(AcceptedSignal signal, Value payload)
    {
        if (lane.Dormancy.Find(signal.InstanceId!.Value) is not { } instance)
        {
            return null;
        }

        if (instance.Waits.Find(w => w.Kind == WaitKind.Signal && w.Name == signal.Name && !w.IsReady) is { } wait)
        {
            lane.Batch.Touch(instance);
            waits.End(instance, wait, TaskState.Cancelled);
            Consume(instance, wait, signal.TraceParent, payload);
            return true;
        }

        signals.Store(signal);
        instance.Inbox.Add(signal);
        signals.Timers.Add(TimerEntry.ForSignal(signal.ExpiresUtc, signal.Id));
        return false;
    }

    /// <summary>
    /// Delivers the signal if an instance of this partition waits for it. Nothing of the signal is stored then, so none
    /// is created.
    /// </summary>
    private bool TryConsume(SignalCommand request)
    {
        if (request.CorrelationKey is not { } key || request.DueAt > lane.Now
            || lane.Host.FindReceiver(request.Name) is not null
            || signals.TakeOwnWaiter(request.Name, key) is not { } waiter)
        {
            return false;
        }

        var instance = instances.Residents.Find(waiter.InstanceId)!;
        lane.Batch.Tally.Signals++;
        Consume(instance, instance.FindWait(waiter.WaitId)!, lane.Command.Trace, request.Payload);
        return true;
    }

    private bool Match(AcceptedSignal signal, Value payload)
    {
        if (signals.TakeWaiter(signal.Name, signal.CorrelationKey!) is { } waiter)
        {
            if (waiter.Subscribed)
            {
                waits.RemoveSubscription(signal.Name, signal.CorrelationKey!, waiter);
                Deliver(waiter.InstanceId, waiter.WaitId, signal);
                return lane.Host.Owns(Partitioning.OfInstance(waiter.InstanceId));
            }

            var instance = instances.Residents.Find(waiter.InstanceId)!;
            Consume(instance, instance.FindWait(waiter.WaitId)!, signal.TraceParent, payload);
            return true;
        }

        if (lane.Host.FindStartedBy(signal.Name) is { } definition)
        {
            StartBy(signal, payload, definition);
            return true;
        }

        signals.Store(signal);
        signals.Index.AddSignal(signal);
        signals.Timers.Add(TimerEntry.ForSignal(signal.ExpiresUtc, signal.Id));
        return false;
    }

    /// <summary>
    /// Starts an instance by a signal. The instance belongs to the partition of the signal's key, so that both share a
    /// commit.
    /// </summary>
    private void StartBy(AcceptedSignal signal, Value payload, WorkflowDefinition definition)
    {
        var variable = definition.StartOn.First(s => s.Signal == signal.Name).Result;
        var hasVariables = variable is null && payload.Kind is ValueKind.Null or ValueKind.Context;
        var instance = new LiveInstance
        {
            Id = instances.NewId(signal.Partition),
            Partition = signal.Partition,
            Definition = definition,
            CorrelationKey = signal.CorrelationKey,
            CreatedUtc = lane.Now,
            UpdatedUtc = lane.Now,
            Trace = signal.TraceParent,
            Variables = InstanceHandler.VariablesOf(hasVariables ? payload : Value.Null),
        };
        instances.Add(instance, signal.Name);
        lane.Batch.Tally.SignalsConsumed++;
        if (hasVariables || variable is not null)
        {
            instance.Assign(variable, payload);
            instances.Tokens.Run(instance, definition.Start, scope: 0);
        }
        else
        {
            instances.Fail(instance, new($"The payload of signal '{signal.Name}', which started it, is a "
                + $"{payload.Kind}; it must be an object whose members become the first variables. Send one, or name a "
                + "variable for it with 'result' in 'startOn'.",
                Step: null));
        }
    }

    private void Deliver(Guid instanceId, Guid waitId, AcceptedSignal signal)
    {
        var partition = Partitioning.OfInstance(instanceId);
        if (!lane.Host.Owns(partition))
        {
            new PartitionMessage { WaitId = waitId, InstanceId = instanceId, Signal = signal }
                .Send(lane, partition, PartitionMessage.Deliver);
        }
        else if (lane.Dormancy.Find(instanceId) is { } instance
            && instance.FindWait(waitId) is { IsReady: false } wait)
        {
            Consume(instance, wait, signal.TraceParent, signal.ReadPayload());
        }
        else if (lane.Host.Owns(signal.Partition))
        {
            Match(signal, signal.ReadPayload());
        }
        else
        {
            new PartitionMessage { Signal = signal }.Send(lane, signal.Partition, PartitionMessage.Return);
        }
    }

    /// <param name="trace">The trace of the signal; null if it has none.</param>
    private void Consume(LiveInstance instance, Wait wait, string? trace, Value payload)
    {
        instances.Tokens.Take(instance, wait);
        lane.Batch.Tally.SignalsConsumed++;
        waits.JoinTrace(instance, trace);
        instances.Tokens.Continue(instance, wait, payload);
    }

    private void Launch(AcceptedSignal signal, SignalReceiver receiver) => lane.Batch.Launches.Add(
        () => lane.Host.LaunchReceiver(signal.Id, receiver, signal.CorrelationKey!, signal.ReadPayload()));

    private static DeadLetterDraft DraftOf(AcceptedSignal signal) =>
        new(DeadLetterKind.Signal, signal.Partition, signal.Id, signal.InstanceId, DeadSignal.From(signal));

    /// <returns>False if the instance that the signal was sent to has finished.</returns>
    public bool Replay(DeadLetterRow deadLetter)
    {
        var signal = DeadLetterDraft.Read<DeadSignal>(deadLetter.Payload).ToSignal(
            deadLetter.SubjectId, deadLetter.Partition, lane.NextPosition(), lane.Now + lane.Options.SignalTimeToLive);
        if (signal.InstanceId is null)
        {
            Route(signal, signal.ReadPayload());
            return true;
        }

        if (MatchInstance(signal, signal.ReadPayload()) is not null)
        {
            return true;
        }

        signals.RaiseExpired(signal, "its instance finished without taking it");
        return false;
    }
}
