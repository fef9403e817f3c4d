using Workflow.Abstractions.Notifications;
using Workflow.Contracts.Cluster;

namespace Workflow.Engine.Cluster;

/// <summary>
/// This engine as one of several on a store. Runs the lanes it has leases for, and sends commands to the owners of
/// others.
/// </summary>
internal sealed class ClusterNode : ILeaseHost, IAsyncDisposable
{
    /// <summary>
    /// How long messages that this node has sent may still appear: as long as those of a node that is gone.
    /// </summary>
    private static readonly TimeSpan OwnMessages = TimeSpan.FromMinutes(1);

    private readonly LaneServices _services;
    private readonly LaneSlots _slots;
    private readonly ClusterOptions _options;
    private readonly InboxSender _sender;
    private readonly InboxReader _reader;
    private readonly PendingReplies _replies;
    private readonly IClusterStore _store;
    private readonly OwnerWatch _owners;
    private volatile ClusterView? _view;
    private bool _started;

    public ClusterNode(IClusterStore store, LaneServices services, LaneSlots slots)
    {
        _store = store;
        _services = services;
        _slots = slots;
        _options = services.Options.Cluster;
        Leases = new(store, this, _options, slots.Count, services.Time, services.Runtime, services.Logger);
        _owners = new(Leases.Node.Id, _options.Lease, services.Time);
        _sender = new(
            store, _options.Notifier, slots.Count, new Backlog(services.Options.Limits, services.Time),
            services.Progressed, services.Time,
            services.Runtime);
        _reader = new(
            store, slots, _options.InboxInterval, services.Options.Limits.MaxPendingSize, services.Runtime,
            services.Logger);
        _replies = new(store, services.Runtime, services.Logger);
        Peers = new(
            _options, services.Options.Limits, slots.Count, Leases.Node.Id, services.Progressed, services.Time,
            services.Logger);
        Commands = new(services, slots, Peers);
    }

    /// <summary>Requests to other nodes that can be reached directly.</summary>
    public PeerRequests Peers { get; }

    public LeaseKeeper Leases { get; }
    public PeerCommands Commands { get; }

    /// <summary>
    /// Whether a signal for another node is answered when its owner has applied it, so that signals of one key keep
    /// their order over all nodes.
    /// </summary>
    public bool AnswersSignals => _options.Peers is not null && _store.KeepsAddresses;

    /// <summary>Whether nothing waits to be sent.</summary>
    public bool IsIdle => _sender.IsIdle && Peers.Pending == 0;

    public ClusterStatistics Statistics => new()
    {
        NodeName = Leases.Node.Name,
        OwnedLanes = [.. _slots.Running.Select(l => l.Assignment.Index)],
        ServedLanes = Enumerable.Range(0, _slots.Count).Count(l => _slots[l] is not null || _owners.IsServed(l)),
        LiveNodes = _view?.Nodes.Count(n => n.IsLive) ?? 0,
        Forwarded = _sender.Sent,
        AnsweredByOwner = Peers.Answered,
        InboxTaken = _reader.Taken,
        LanesLost = Leases.LanesLost,
    };

    /// <summary>Who has a lane: this node if it runs here, else its owner as of the last renewal.</summary>
    public LaneOwner DescribeLane(int lane)
    {
        if (_slots[lane] is { } own)
        {
            return new(lane, Leases.Node.Name, Peers.Address, own.Epoch);
        }

        var lease = _view?.Lanes.FirstOrDefault(one => one.Lane == lane && one.Left > TimeSpan.Zero);
        var owner = _view?.Nodes.FirstOrDefault(node => node.Id == lease?.Owner && node.Id != Leases.Node.Id);
        return new(lane, owner?.Name, owner?.Address, lease?.Epoch);
    }

    /// <summary>Joins the cluster. Returns when the lanes of its share run.</summary>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        _started = true;
        await _options.Notifier.ListenAsync(_reader.Notify, cancellationToken);
        _sender.Start();
        _replies.Start();
        _reader.Start();
        await Leases.StartAsync(cancellationToken);
    }

    /// <summary>Notifies the owner of a lane on another node about a committed message.</summary>
    public void Notify(short partition) => _options.Notifier.Send(partition % _slots.Count);

    /// <summary>Follows the streams of other nodes' lanes until the result is disposed.</summary>
    public IDisposable Follow() => _reader.Follow();

    /// <returns>The stored row of its idempotency key; null if it has none.</returns>
    public Task<IdempotencyRow?> SendAsync(
        Guid id, short partition, string kind, RemoteCommand command, IdempotencyRow? key = null) =>
        _sender.SendAsync(
            new(Message.Of(id, partition, kind, Stamped(command).ToJson(), _sender.NextPosition()).ToRow(), key));

    /// <summary>Sends a command to the owner of the partition and waits for its reply.</summary>
    /// <exception cref="StoreUnavailableException">No owner has replied in time.</exception>
    public async Task<T> ExecuteRemotelyAsync<T>(
        short partition, string kind, RemoteCommand command, CancellationToken cancellationToken)
    {
        var id = _services.NewId();
        if (!Peers.CanReach(partition))
        {
            return await ExecuteByInboxAsync<T>(id, partition, kind, command, cancellationToken);
        }

        // Whatever the outcome of the request, the key prevents the inbox copy from being applied again.
        var keyed = command.WithKey(id);
        var reply = await Peers.AskAsync(new(id, partition, kind, Stamped(keyed).ToJson()));
        if (reply.Outcome == PeerOutcome.Answered)
        {
            return RemoteReply.Parse(reply.Body!).Get<T>();
        }

        try
        {
            return await ExecuteByInboxAsync<T>(id, partition, kind, keyed, cancellationToken);
        }
        catch (Exception e) when (e is OverloadedException or EngineStoppedException
            or StoreUnavailableException { OutcomeUnknown: false })
        {
            // A broken connection may have delivered the command nevertheless, whatever the last attempt reports.
            throw new StoreUnavailableException(
                $"The node of lane {partition % _slots.Count} was asked and has not answered, and its inbox does not "
                + $"take the command: {e.Message} It may or may not be committed: repeat it with the same idempotency "
                + "key.",
                outcomeUnknown: true,
                e);
        }
    }

    private async Task<T> ExecuteByInboxAsync<T>(
        Guid id, short partition, string kind, RemoteCommand command, CancellationToken cancellationToken)
    {
        var reply = _replies.Add(id);
        try
        {
            await SendAsync(id, partition, kind, command);
            return (await _services.Runtime.WaitAsync(reply, _options.AnswerTimeout, cancellationToken)).Get<T>();
        }
        catch (TimeoutException)
        {
            throw new StoreUnavailableException(
                $"Lane {partition % _slots.Count} runs on another node, which has not replied within "
                + $"{_options.AnswerTimeout.TotalSeconds:0.#} s. It lies in the lane's inbox and is still executed: "
                + "repeat it with the same idempotency key.",
                outcomeUnknown: true);
        }
        finally
        {
            _replies.Remove(id);
        }
    }

    public async Task StartLaneAsync(int lane, CancellationToken cancellationToken)
    {
        foreach (var running in _slots.Running)
        {
            running.Inbox.MarkBehind();
        }

        var started = await new Lane(new(lane, _slots.Count) { Node = Leases.Node.Id }, _services, _slots.Logs[lane])
            .PreparedAsync(one => one.StartAsync(cancellationToken));

        _slots.Run(started);
        _reader.Notify(INotifier.EveryLane);
    }

    public void CloseLane(int lane) => _slots.Close(lane);

    public async Task StopLaneAsync(int lane)
    {
        await _slots.EndAsync(lane);
        _services.Progressed();
    }

    public Task DropLaneAsync(int lane)
    {
        _slots.Closed(lane)?.MarkLost();
        return StopLaneAsync(lane);
    }

    public async Task ObserveAsync(ClusterView view, CancellationToken cancellationToken)
    {
        _reader.HasOthers = view.Nodes.Any(n => n.Id != Leases.Node.Id) || _sender.HasTriedWithin(OwnMessages);
        _owners.Observe(view);
        _view = view;
        foreach (var lease in view.Lanes.Where(l => l.Lane < _slots.Logs.Count))
        {
            _slots.Logs[lease.Lane].Advance(lease.LastSequence);
        }

        if (view.LastDefinition > _services.Definitions.LastRead)
        {
            await LoadDefinitionsAsync(cancellationToken);
        }

        await Peers.ObserveAsync(view, _store.PublishAsync, cancellationToken);
    }

    /// <summary>Reads new definitions. A failure does not affect the leases.</summary>
    private async Task LoadDefinitionsAsync(CancellationToken cancellationToken)
    {
        try
        {
            await _services.Definitions.LoadAsync(cancellationToken);
        }
        catch (Exception e) when (!cancellationToken.IsCancellationRequested)
        {
            Log.DefinitionsFailed(_services.Logger, e);
        }
    }

    private RemoteCommand Stamped(RemoteCommand command) => command with
    {
        AcceptedUtc = _services.Time.GetUtcNow(),
        AcceptedTicks = _services.Time.GetTimestamp(),
        BootId = BootId.Current,
        TraceParent = Tracing.Caller,
    };

    /// <summary>Drains the lanes and leaves the cluster. Commands sent before are durable.</summary>
    public async ValueTask DisposeAsync()
    {
        await Leases.DisposeAsync();
        if (_started)
        {
            await _reader.DisposeAsync();
            await _sender.DisposeAsync();
            await _replies.DisposeAsync();
        }

        await _options.Notifier.DisposeAsync();
    }
}
