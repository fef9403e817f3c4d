using Workflow.Contracts.Signals;
using Workflow.Engine.Cluster;

namespace Workflow.Engine.Signals;

/// <summary>Sends signals for callers. If a lane cannot accept one, the store gives the reason.</summary>
internal sealed class SignalRequests
{
    private readonly IWorkflowStore _store;
    private readonly WorkflowEngineOptions _options;
    private readonly DefinitionRegistry _definitions;
    private readonly TimeProvider _time;
    private readonly CommandRouter _router;
    private readonly Telemetry _telemetry;
    private readonly HashSet<string> _receivers;

    /// <summary>A single delegate for all signals.</summary>
    private readonly Func<LaneCommand<SignalAccepted?>, CancellationToken, Task<SignalAccepted?>> _send;

    public SignalRequests(
        IWorkflowStore store, WorkflowEngineOptions options, DefinitionRegistry definitions, TimeProvider time,
        CommandRouter router,
        Telemetry telemetry)
    {
        _store = store;
        _options = options;
        _definitions = definitions;
        _telemetry = telemetry;
        _receivers = options.SignalReceivers.Select(receiver => receiver.Name).ToHashSet(StringComparer.Ordinal);
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

    /// <remarks>
    /// A signal by key is always accepted. It needs no state machine here, which would be allocated for every signal.
    /// </remarks>
    private Task<SignalAccepted> SignalUntracedAsync(SignalCommand command, CancellationToken cancellationToken)
    {
        try
        {
            CommandChecks.Check(command, _options.Limits.MaxInstanceSize);
            return IsReceived(command.Name)
                ? AcceptAsync(command, cancellationToken)
                : AcceptUnreceivedAsync(command, cancellationToken);
        }
        catch (Exception e)
        {
            return Task.FromException<SignalAccepted>(e);
        }
    }

    private bool IsReceived(string name) => _definitions.IsReceived(name) || _receivers.Contains(name);

    /// <summary>
    /// No definition known here receives the signal: one may be registered later, or the name is misspelt.
    /// </summary>
    private async Task<SignalAccepted> AcceptUnreceivedAsync(SignalCommand command, CancellationToken cancellationToken)
    {
        if (_router.HasNodes)
        {
            // Another node may have registered one.
            await _definitions.RefreshAsync(cancellationToken);
            if (IsReceived(command.Name))
            {
                return await AcceptAsync(command, cancellationToken);
            }
        }

        if (_options.RefusesUnreceivedSignals)
        {
            throw new SignalUnreceivedException(command.Name);
        }

        var accepted = await AcceptAsync(command, cancellationToken);
        _telemetry.UnreceivedSignals.Add(1);
        return accepted.Delivered ? accepted : accepted with { Unreceived = true };
    }

    private Task<SignalAccepted> AcceptAsync(SignalCommand command, CancellationToken cancellationToken)
    {
        try
        {
            var hash = command.IdempotencyKey is null
                ? null
                : RequestHash.Of(command.IdempotencyKey, command.Payload, command.Name, command.CorrelationKey,
                    command.InstanceId?.ToString(), command.DueAt?.ToString("O"));
            var accepted = _router.ExecuteAsync(
                PartitionOf(command), new SignalLaneCommand(command, _router.NewId(), hash), _send, cancellationToken);
            return command.InstanceId is null ? accepted! : ThrowIfNotLiveAsync(accepted, command, cancellationToken);
        }
        catch (Exception e)
        {
            return Task.FromException<SignalAccepted>(e);
        }
    }

    private static short PartitionOf(SignalCommand command) =>
        command.InstanceId is { } target
            ? Partitioning.OfInstance(target)
            : Partitioning.OfKey(command.CorrelationKey!);

    private async Task<SignalAccepted> ThrowIfNotLiveAsync(
        Task<SignalAccepted?> accepted, SignalCommand command, CancellationToken cancellationToken) =>
        await accepted ?? throw await CreateNotLiveExceptionAsync(command, cancellationToken);

    /// <summary>Sends a signal to a lane of another node.</summary>
    private Task<SignalAccepted?> SendAsync(SignalLaneCommand signal, CancellationToken cancellationToken) =>
        _router.Node!.AnswersSignals
            ? _router.Node.ExecuteRemotelyAsync<SignalAccepted?>(
                PartitionOf(signal.Request), RemoteKind.Send, signal.Describe(), cancellationToken)
            : SendByInboxAsync(signal, cancellationToken);

    /// <summary>
    /// Accepts a signal when its message is durable; the caller does not wait for the delivery. The store is asked
    /// first whether the instance is live. If the instance ends in between, the signal expires.
    /// </summary>
    private async Task<SignalAccepted?> SendByInboxAsync(SignalLaneCommand signal, CancellationToken cancellationToken)
    {
        var (command, id, hash) = (signal.Request, signal.SignalId, signal.Hash);
        if (command.InstanceId is { } target
            && await _store.FindInstanceAsync(target, cancellationToken) is not
                { State: InstanceState.Running or InstanceState.Waiting or InstanceState.Suspended })
        {
            throw await CreateNotLiveExceptionAsync(command, cancellationToken);
        }

        var key = command.IdempotencyKey is null
            ? null
            : new IdempotencyRow("signal:" + command.IdempotencyKey, RequestHash.Stored(hash!), id, _time.GetUtcNow());
        var stored = await _router.SendAsync(
            id, PartitionOf(command), RemoteKind.Signal, signal.Describe() with
            {
                // They are stored with the message.
                IdempotencyKey = null,
                RequestHash = null,
            }, key).WaitAsync(cancellationToken);
        if (stored is not null && !RequestHash.Matches(stored.RequestHash, hash))
        {
            throw new IdempotencyConflictException(command.IdempotencyKey!);
        }

        return stored is null || stored.ResultId == id
            ? new(id, Delivered: false, Duplicate: false, Kept: true, KeptUntil: KeptUntil(command))
            : new(stored.ResultId, Delivered: false, Duplicate: true);
    }

    /// <summary>
    /// The earliest time at which the other node expires the signal: its time to live begins when that node reads the
    /// message.
    /// </summary>
    private DateTimeOffset KeptUntil(SignalCommand command)
    {
        var now = _time.GetUtcNow();
        return (command.DueAt > now ? command.DueAt.Value.ToUniversalTime() : now) + _options.SignalTimeToLive;
    }

    private async Task<Exception> CreateNotLiveExceptionAsync(
        SignalCommand command, CancellationToken cancellationToken)
    {
        var id = command.InstanceId!.Value;
        var row = await _store.FindInstanceAsync(id, cancellationToken);
        return row is null
            ? new InstanceNotFoundException(id)
            : new InstanceFinishedException(id, InstanceRequests.NameOf(row.State), command.Name);
    }
}
