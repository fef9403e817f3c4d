using Workflow.Engine.Timers;

namespace Workflow.Engine.Signals;

/// <summary>Signals: matching with waits, buffering, delivery within and across partitions.</summary>
internal sealed class SignalHandler : ISignalTimers
{
    private readonly InstanceHandler _instances;
    private readonly SignalStore _signals;
    private readonly SignalWaits _waits;
    private readonly DeadLetterHandler _deadLetters;
    private readonly LaneContext _lane;

    public SignalHandler(
        InstanceHandler instances, SignalStore signals, SignalWaits waits, DeadLetterHandler deadLetters, LaneContext lane)
    {
        _instances = instances;
        _signals = signals;
        _waits = waits;
        _deadLetters = deadLetters;
        _lane = lane;
        deadLetters.Replays[DeadLetterKind.Signal] = deadLetter =>
            Replay(deadLetter, DeadLetterDraft.Read<DeadSignal>(deadLetter.Payload));
    }

    /// <summary>Why a signal of a client must not be kept; null when it may.</summary>
    public SignalsFullException? WhyFull(SignalCommand request)
    {
        var inbox = request.InstanceId is { } id ? _instances.Live.GetValueOrDefault(id) : null;
        var full = SignalRoom.WhyFull(_signals, inbox, request, _lane.Options.Limits, _lane.Now);
        var starts = full is not null && request.InstanceId is null && !(request.DueAt > _lane.Now)
            && _lane.Host.FindStartedBy(request.Name) is not null;
        return starts ? null : full;
    }

    /// <returns>Whether it was consumed at once; null when its instance is not live here.</returns>
    public bool? Accept(SignalCommand request, Guid id)
    {
        if (TryConsume(request))
        {
            return true;
        }

        var signal = _signals.Make(request, id);
        if (request.InstanceId is not null)
        {
            var delivered = MatchInstance(signal, request.Payload);
            _lane.Batch.Tally.Signals += delivered is null ? 0 : 1;
            return delivered;
        }

        _lane.Batch.Tally.Signals++;
        if (signal.DueUtc is { } due)
        {
            _signals.Store(signal);
            _signals.Timers.Add(TimerEntry.ForSignal(due, id));
            return false;
        }

        return Route(signal, request.Payload);
    }

    /// <summary>A signal that another node has accepted. If its instance has finished, it expires with an event.</summary>
    public void AcceptRemote(SignalCommand request, Guid id)
    {
        if (Accept(request, id) is null)
        {
            _lane.Batch.Tally.Signals++;
            _signals.RaiseExpired(_signals.Make(request, id), "its instance finished before it came");
        }
    }

    /// <summary>A receiver has returned. Nothing happens when the signal is gone.</summary>
    public void Consume(Guid signalId)
    {
        if (!_signals.Stored.TryGetValue(signalId, out var signal))
        {
            return;
        }

        _signals.Remove(signal);
        _lane.Batch.Tally.SignalsConsumed++;
        _lane.Raise(signal.TraceParent, (id, stamps) => new SignalReceived
        {
            Id = id,
            CorrelationKey = signal.CorrelationKey,
            Name = signal.Name,
            DueAt = signal.DueUtc,
            Payload = signal.Payload is null ? null : SignalPayload.Of(signal).ToJsonElement(),
            Timestamps = stamps,
        });
    }

    public void Apply(short partition, string kind, PartitionMessage body)
    {
        switch (kind)
        {
            case PartitionMessage.Subscribe when _signals.Index.TakeSignal(body.Name, body.Key) is { } buffered:
                _signals.Remove(buffered);
                Deliver(body.InstanceId, body.WaitId, buffered);
                break;
            case PartitionMessage.Subscribe:
                _waits.Add(partition, body.Name, body.Key, body.WaitId, body.InstanceId, body.Position);
                break;
            case PartitionMessage.Unsubscribe:
                _waits.Remove(partition, body.Name, body.Key, body.WaitId, body.InstanceId);
                break;
            case PartitionMessage.Deliver:
                Deliver(body.InstanceId, body.WaitId, body.Signal!);
                break;
            case PartitionMessage.Return:
                Match(body.Signal!, SignalPayload.Of(body.Signal!));
                break;
            default:
                throw new InvalidOperationException($"A message between partitions is of the unknown kind '{kind}'.");
        }
    }

    public void Fire(Guid signalId, DateTimeOffset due)
    {
        if (!_signals.Stored.TryGetValue(signalId, out var signal))
        {
            return;
        }

        if (signal.ExpiresUtc <= _lane.Now)
        {
            _signals.Unbuffer(signal);
            _signals.RaiseExpired(signal, $"nobody took it within {_lane.Options.SignalTimeToLive}");
        }
        else if (signal.DueUtc != due)
        {
            // It was due before, and waits in the buffer now.
            return;
        }
        else if (_lane.Host.FindReceiver(signal.Name) is { } receiver)
        {
            Launch(signal, receiver);
        }
        else
        {
            _signals.Remove(signal);
            Match(signal with { DueUtc = null }, SignalPayload.Of(signal));
        }
    }

    public bool Holds(Guid signalId) => _signals.Stored.ContainsKey(signalId);

    /// <summary>A new signal becomes a dead letter; it counts as accepted.</summary>
    public void DeadLetter(SignalCommand request, Guid signalId, Guid deadLetterId, string reason, int attempts)
    {
        _lane.Batch.Tally.Signals++;
        _deadLetters.Add(DraftOf(_signals.Make(request, signalId)), deadLetterId, reason, attempts);
    }

    public void DeadLetter(Guid signalId, Guid deadLetterId, string reason, int attempts)
    {
        if (_signals.Stored.TryGetValue(signalId, out var signal))
        {
            _signals.Unbuffer(signal);
            _deadLetters.Add(DraftOf(signal), deadLetterId, reason, attempts);
        }
    }

    /// <summary>Routes a due signal to its receiver, or to the oldest waiter.</summary>
    private bool Route(AcceptedSignal signal, Value payload)
    {
        if (_lane.Host.FindReceiver(signal.Name) is { } receiver)
        {
            _signals.Store(signal);
            Launch(signal, receiver);
            return false;
        }

        return Match(signal, payload);
    }

    private bool? MatchInstance(AcceptedSignal signal, Value payload)
    {
        if (_instances.Live.GetValueOrDefault(signal.InstanceId!.Value) is not { } instance)
        {
            return null;
        }

        if (instance.Waits.Find(w => w.Kind == WaitKind.Signal && w.Name == signal.Name && !w.IsReady) is { } wait)
        {
            _lane.Batch.Touch(instance);
            _waits.End(instance, wait, TaskState.Cancelled);
            Consume(instance, wait, signal.TraceParent, payload);
            return true;
        }

        _signals.Store(signal);
        instance.Inbox.Add(signal);
        _signals.Timers.Add(TimerEntry.ForSignal(signal.ExpiresUtc, signal.Id));
        return false;
    }

    /// <summary>Whether an instance of the partition waits for it, and takes it: nothing of it is stored, so no signal is made.</summary>
    private bool TryConsume(SignalCommand request)
    {
        if (request.CorrelationKey is not { } key || request.DueAt > _lane.Now || _lane.Host.FindReceiver(request.Name) is not null
            || _signals.Index.TakeOwnWaiter(request.Name, key) is not { } waiter)
        {
            return false;
        }

        var instance = _instances.Live[waiter.InstanceId];
        _lane.Batch.Tally.Signals++;
        Consume(instance, instance.FindWait(waiter.WaitId)!, _lane.Command.Trace, request.Payload);
        return true;
    }

    private bool Match(AcceptedSignal signal, Value payload)
    {
        if (_signals.Index.TakeWaiter(signal.Name, signal.CorrelationKey!) is { } waiter)
        {
            if (waiter.Subscribed)
            {
                _waits.RemoveSubscription(signal.Name, signal.CorrelationKey!, waiter);
                Deliver(waiter.InstanceId, waiter.WaitId, signal);
                return _lane.Host.Owns(Partitioning.OfInstance(waiter.InstanceId));
            }

            var instance = _instances.Live[waiter.InstanceId];
            Consume(instance, instance.FindWait(waiter.WaitId)!, signal.TraceParent, payload);
            return true;
        }

        if (_lane.Host.FindStartedBy(signal.Name) is { } definition)
        {
            StartBy(signal, payload, definition);
            return true;
        }

        _signals.Store(signal);
        _signals.Index.AddSignal(signal);
        _signals.Timers.Add(TimerEntry.ForSignal(signal.ExpiresUtc, signal.Id));
        return false;
    }

    /// <summary>A signal starts an instance: it lives where the signal's key does, so that both are one commit.</summary>
    private void StartBy(AcceptedSignal signal, Value payload, WorkflowDefinition definition)
    {
        var variable = definition.StartOn.First(s => s.Signal == signal.Name).Result;
        var hasVariables = variable is null && payload.Kind is ValueKind.Null or ValueKind.Context;
        var instance = new LiveInstance
        {
            Id = _instances.NewId(signal.Partition),
            Partition = signal.Partition,
            Definition = definition,
            CorrelationKey = signal.CorrelationKey,
            CreatedUtc = _lane.Now,
            UpdatedUtc = _lane.Now,
            Trace = signal.TraceParent,
            Variables = InstanceHandler.VariablesOf(hasVariables ? payload : Value.Null),
        };
        _instances.Add(instance, signal.Name);
        _lane.Batch.Tally.SignalsConsumed++;
        if (hasVariables || variable is not null)
        {
            instance.Assign(variable, payload);
            _instances.Tokens.Run(instance, definition.Start, scope: 0);
        }
        else
        {
            _instances.Fail(instance, new($"The payload of signal '{signal.Name}', which started it, is a {payload.Kind}; it must be an "
                + "object whose members become the first variables. Send one, or name a variable for it with 'result' in 'startOn'.",
                Step: null));
        }
    }

    private void Deliver(Guid instanceId, Guid waitId, AcceptedSignal signal)
    {
        var partition = Partitioning.OfInstance(instanceId);
        if (!_lane.Host.Owns(partition))
        {
            new PartitionMessage { WaitId = waitId, InstanceId = instanceId, Signal = signal }
                .Send(_lane, partition, PartitionMessage.Deliver);
        }
        else if (_instances.Live.GetValueOrDefault(instanceId) is { } instance && instance.FindWait(waitId) is { IsReady: false } wait)
        {
            Consume(instance, wait, signal.TraceParent, SignalPayload.Of(signal));
        }
        else if (_lane.Host.Owns(signal.Partition))
        {
            Match(signal, SignalPayload.Of(signal));
        }
        else
        {
            new PartitionMessage { Signal = signal }.Send(_lane, signal.Partition, PartitionMessage.Return);
        }
    }

    /// <param name="trace">That of the signal; null when it has none.</param>
    private void Consume(LiveInstance instance, Wait wait, string? trace, Value payload)
    {
        _instances.Tokens.Take(instance, wait);
        _lane.Batch.Tally.SignalsConsumed++;
        _waits.JoinTrace(instance, trace);
        _instances.Tokens.GoOn(instance, wait, payload);
    }

    private void Launch(AcceptedSignal signal, SignalReceiver receiver) => _lane.Batch.Launches.Add(
        () => _lane.Host.LaunchReceiver(signal.Id, receiver, signal.CorrelationKey!, SignalPayload.Of(signal)));

    private static DeadLetterDraft DraftOf(AcceptedSignal signal) =>
        new(DeadLetterKind.Signal, signal.Partition, signal.Id, signal.InstanceId, DeadSignal.From(signal));

    private bool Replay(DeadLetterRow deadLetter, DeadSignal content)
    {
        var signal = content.ToSignal(
            deadLetter.SubjectId, deadLetter.Partition, _lane.NextPosition(), _lane.Now + _lane.Options.SignalTimeToLive);
        if (signal.InstanceId is null)
        {
            Route(signal, SignalPayload.Of(signal));
            return true;
        }

        if (MatchInstance(signal, SignalPayload.Of(signal)) is not null)
        {
            return true;
        }

        _signals.RaiseExpired(signal, "its instance finished without taking it");
        return false;
    }
}
