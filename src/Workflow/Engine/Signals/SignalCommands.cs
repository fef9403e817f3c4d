using Workflow.Contracts.Signals;

namespace Workflow.Engine.Signals;

/// <summary>A signal by key or to an instance. The result is null when the instance is not live here: the store has the reason.</summary>
internal sealed class SignalLaneCommand(SignalCommand request, Guid signalId, string? requestHash) : LaneCommand<SignalAccepted?>
{
    public SignalCommand Request => request;
    public Guid SignalId => signalId;
    public string? RequestHash => requestHash;
    public override string? Key { get; } = KeyOf("signal", request.IdempotencyKey);

    public override long Size => request.Payload.Weight;
    public override string Description => request.InstanceId is { } instance
        ? $"signal '{request.Name}' to instance {instance}"
        : $"signal '{request.Name}' for key '{request.CorrelationKey}'";

    public override bool CanDeadLetter => true;

    /// <summary>It is accepted all the same: its sender can do nothing more.</summary>
    public override void DeadLetter(LaneContext lane, Guid deadLetterId, string reason, int attempts)
    {
        lane.Handler<SignalHandler>().DeadLetter(request, signalId, deadLetterId, reason, attempts);
        KeepKey(lane, requestHash, signalId);
        Succeed(new(signalId, Delivered: false, Duplicate: false, deadLetterId));
    }

    public override void Apply(LaneContext lane)
    {
        if (IsRepeated(lane, requestHash, known => new(known.ResultId, Delivered: false, Duplicate: true)))
        {
            return;
        }

        var signals = lane.Handler<SignalHandler>();
        if (signals.WhyFull(request) is { } full)
        {
            Refuse(full);
            return;
        }

        if (signals.Accept(request, signalId) is not { } delivered)
        {
            Succeed(null);
            return;
        }

        KeepKey(lane, requestHash, signalId);
        Succeed(new(signalId, delivered, Duplicate: false));
    }
}

/// <summary>A signal accepted on another node. Its idempotency key was stored with its message.</summary>
internal sealed class RemoteSignalLaneCommand(SignalCommand request, Guid signalId) : LaneCommand
{
    public override string Description => $"signal '{request.Name}' {signalId} from another node";
    public override bool CanDeadLetter => true;

    public override void Apply(LaneContext lane) => lane.Handler<SignalHandler>().AcceptRemote(request, signalId);

    public override void DeadLetter(LaneContext lane, Guid deadLetterId, string reason, int attempts) =>
        lane.Handler<SignalHandler>().DeadLetter(request, signalId, deadLetterId, reason, attempts);
}

/// <summary>A receiver has returned: its signal is consumed.</summary>
internal sealed class ReceiverLaneCommand(Guid signalId, Action done) : LaneCommand
{
    public override Guid SubjectId => signalId;
    public override string Description => $"consumption of signal {signalId}";
    public override bool CanDeadLetter => true;

    public override void DeadLetter(LaneContext lane, Guid deadLetterId, string reason, int attempts) =>
        lane.Handler<SignalHandler>().DeadLetter(signalId, deadLetterId, reason, attempts);

    public override void Apply(LaneContext lane) => lane.Handler<SignalHandler>().Consume(signalId);
    public override void Acknowledge() => done();
    public override void Fail(Exception error) => done();
}

/// <summary>What callers ask of signals. Where a lane cannot take one, the store says why.</summary>
internal sealed class SignalRequests
{
    private readonly IWorkflowStore _store;
    private readonly WorkflowEngineOptions _options;
    private readonly TimeProvider _time;
    private readonly ICommandRouter _router;

    /// <summary>One for all signals.</summary>
    private readonly Func<LaneCommand<SignalAccepted?>, CancellationToken, Task<SignalAccepted?>> _send;

    public SignalRequests(IWorkflowStore store, WorkflowEngineOptions options, TimeProvider time, ICommandRouter router)
    {
        _store = store;
        _options = options;
        _time = time;
        _router = router;
        _send = (command, token) => SendAsync((SignalLaneCommand)command, token);
    }

    public Task<SignalAccepted> SignalAsync(SignalCommand command, CancellationToken cancellationToken) =>
        Tracing.IsOn ? TracedSignalAsync(command, cancellationToken) : SignalUntracedAsync(command, cancellationToken);

    private async Task<SignalAccepted> TracedSignalAsync(SignalCommand command, CancellationToken cancellationToken)
    {
        using var span = Tracing.Signal(command);
        try
        {
            var accepted = await SignalUntracedAsync(command, cancellationToken);
            span?.SetTag("workflow.signal.id", accepted.Id).SetTag("workflow.signal.delivered", accepted.Delivered);
            return accepted;
        }
        catch (Exception e)
        {
            span.Fail(e);
            throw;
        }
    }

    /// <remarks>A signal by key is always accepted: it needs no state machine here, which would be one for each.</remarks>
    private Task<SignalAccepted> SignalUntracedAsync(SignalCommand command, CancellationToken cancellationToken)
    {
        try
        {
            CommandChecks.Check(command, _options.Limits.MaxInstanceSize);
            var hash = command.IdempotencyKey is null
                ? null
                : CommandChecks.Hash(command.IdempotencyKey, command.Name, command.CorrelationKey, command.InstanceId?.ToString(),
                    command.DueAt?.ToString("O"), command.Payload.ToString());
            var accepted = _router.ExecuteAsync(
                PartitionOf(command), new SignalLaneCommand(command, _router.NewId(), hash), _send, cancellationToken);
            return command.InstanceId is null ? accepted! : AcceptedOrNotLiveAsync(accepted, command, cancellationToken);
        }
        catch (Exception e)
        {
            return Task.FromException<SignalAccepted>(e);
        }
    }

    private static short PartitionOf(SignalCommand command) =>
        command.InstanceId is { } target ? Partitioning.OfInstance(target) : Partitioning.OfKey(command.CorrelationKey!);

    private async Task<SignalAccepted> AcceptedOrNotLiveAsync(
        Task<SignalAccepted?> accepted, SignalCommand command, CancellationToken cancellationToken) =>
        await accepted ?? throw await WhyNotLiveAsync(command, cancellationToken);

    /// <summary>
    /// Sends a signal to a lane of another node. It is accepted once its message is durable; the caller does not wait for the delivery. The
    /// store is asked first whether the instance is live; if it ends in between, the signal expires.
    /// </summary>
    private async Task<SignalAccepted?> SendAsync(SignalLaneCommand signal, CancellationToken cancellationToken)
    {
        var (command, id, hash) = (signal.Request, signal.SignalId, signal.RequestHash);
        if (command.InstanceId is { } target
            && await _store.FindInstanceAsync(target, cancellationToken) is not
                { State: InstanceState.Running or InstanceState.Waiting or InstanceState.Suspended })
        {
            throw await WhyNotLiveAsync(command, cancellationToken);
        }

        var key = command.IdempotencyKey is null
            ? null
            : new IdempotencyRow("signal:" + command.IdempotencyKey, hash!, id, _time.GetUtcNow());
        var remote = new RemoteCommand
        {
            Name = command.Name,
            CorrelationKey = command.CorrelationKey,
            Id = command.InstanceId,
            Value = RemoteCommand.TextOf(command.Payload),
            DueAt = command.DueAt,
        };
        var stored = await _router.SendAsync(id, PartitionOf(command), RemoteKind.Signal, remote, key).WaitAsync(cancellationToken);
        if (stored is not null && stored.RequestHash != hash)
        {
            throw new IdempotencyConflictException(command.IdempotencyKey!);
        }

        return stored is null || stored.ResultId == id
            ? new(id, Delivered: false, Duplicate: false)
            : new(stored.ResultId, Delivered: false, Duplicate: true);
    }

    private async Task<Exception> WhyNotLiveAsync(SignalCommand command, CancellationToken cancellationToken)
    {
        var id = command.InstanceId!.Value;
        var row = await _store.FindInstanceAsync(id, cancellationToken);
        return row is null
            ? new InstanceNotFoundException(id)
            : new InstanceFinishedException(id, InstanceRequests.Word(row.State), command.Name);
    }
}
