using System.Security.Cryptography;

namespace Workflow.Engine.Cluster;

/// <summary>
/// Sends commands that need an answer to the nodes that own their lanes, as of the last renewal. A node takes such a command only for a
/// lane that it owns, and never sends it on: there are no loops. Where the owner is not reached, or does not answer, the inbox is left.
/// </summary>
/// <param name="progressed">Called when none waits any more.</param>
internal sealed class PeerRequests(
    ClusterOptions options, EngineLimits limits, int lanes, Guid node, Action progressed, TimeProvider time, ILogger logger)
{
    /// <summary>The node that the leases name, and one more that it names itself.</summary>
    private const int MaxTries = 2;

    private const int SecretBytes = 32;

    /// <summary>How long a node that was not reached, or did not answer, is left alone.</summary>
    private static readonly TimeSpan Rest = TimeSpan.FromSeconds(1);

    /// <summary>Replies come in bursts: how fast they come is measured over this time, or more.</summary>
    private static readonly TimeSpan RateInterval = TimeSpan.FromMilliseconds(100);

    private readonly Backlog _backlog = new(limits, time);
    private readonly Lock _ending = new();
    private int _endedSince;
    private readonly ConcurrentDictionary<Guid, long> _restingSince = new();
    private volatile Routes _routes = Routes.None;
    private volatile Uri? _address;
    private long _answered;

    /// <summary>Where other nodes reach this one; null before it was published.</summary>
    public Uri? Address
    {
        get => _address;
        set => _address = value;
    }

    /// <summary>Commands that another node has answered.</summary>
    public long Answered => Interlocked.Read(ref _answered);

    public int Pending => _backlog.Count;

    /// <summary>Publishes the address where others may want it and do not have it yet, and takes over who owns what.</summary>
    public async Task ObserveAsync(
        ClusterView view, Func<Guid, Uri, string, CancellationToken, Task> publish, CancellationToken cancellationToken)
    {
        if (options.Peers is null || _address is not { } address)
        {
            return;
        }

        var hasOthers = view.Nodes.Any(n => n.Id != node && n.IsLive);
        if (hasOthers && (view.Secret is null || view.Nodes.FirstOrDefault(n => n.Id == node)?.Address != address))
        {
            var proposed = Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(SecretBytes));
            await publish(node, address, proposed, cancellationToken);
        }

        _routes = view.Secret is { } secret ? Routes.Of(view, node, secret, _routes) : Routes.None;
        foreach (var gone in _restingSince.Keys.Where(id => !_routes.Peers.ContainsKey(id)))
        {
            _restingSince.TryRemove(gone, out _);
        }
    }

    /// <summary>Who owns the lane of the partition, as of the last renewal.</summary>
    public Guid? OwnerOf(short partition) => _routes.Owners.TryGetValue(partition % lanes, out var owner) ? owner : null;

    /// <summary>Whether the owner of the partition can be asked itself.</summary>
    public bool Reaches(short partition) => Find(OwnerOf(partition)) is not null;

    /// <summary>Whether the key is what other nodes show to this one; compared in constant time.</summary>
    public bool IsOwnKey(string? presented) => _routes.OwnKey is { } own && presented is not null
        && CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(presented), own);

    /// <summary>Sends a command to the owner of its lane, or to the one that has the lane by now.</summary>
    /// <returns>What the owner says; else what became of the last attempt.</returns>
    /// <exception cref="OverloadedException">Too many wait for other nodes.</exception>
    public async Task<PeerReply> AskAsync(PeerRequest request)
    {
        _backlog.AddOfClient(request.Body.Length);
        try
        {
            var owner = OwnerOf(request.Partition);
            for (var tries = 1; ; tries++)
            {
                if (Find(owner) is not { } peer)
                {
                    return new(PeerOutcome.Unreachable);
                }

                var reply = await options.Peers!.SendAsync(peer, request, options.Lease);
                if (reply.Outcome is PeerOutcome.Unknown or PeerOutcome.Unreachable)
                {
                    _restingSince[peer.Id] = time.GetTimestamp();
                    Log.PeerFailed(logger, peer.Address, reply.Outcome.ToString(), Rest.TotalSeconds);
                    return reply;
                }

                // Its own word first: its view may be newer than this node's.
                owner = reply.Owner ?? OwnerOf(request.Partition);
                if (reply.Outcome == PeerOutcome.Answered || tries == MaxTries || owner == peer.Id)
                {
                    Interlocked.Add(ref _answered, reply.Outcome == PeerOutcome.Answered ? 1 : 0);
                    return reply;
                }
            }
        }
        finally
        {
            End(request);
        }
    }

    private void End(PeerRequest request)
    {
        lock (_ending)
        {
            _endedSince++;
            if (_backlog.SinceProgress >= RateInterval)
            {
                _backlog.Progress(_endedSince);
                _endedSince = 0;
            }

            _backlog.Free(request.Body.Length);
            if (_backlog.Answered())
            {
                _endedSince = 0;
                progressed();
            }
        }
    }

    private Peer? Find(Guid? owner) =>
        owner is { } id && _routes.Peers.TryGetValue(id, out var peer)
            && !(_restingSince.TryGetValue(id, out var since) && time.GetElapsedTime(since) < Rest)
            ? peer
            : null;

    /// <summary>How things stood at one renewal.</summary>
    private sealed record Routes(
        IReadOnlyDictionary<int, Guid> Owners, IReadOnlyDictionary<Guid, Peer> Peers, string? Secret, byte[]? OwnKey)
    {
        public static readonly Routes None = new(new Dictionary<int, Guid>(), new Dictionary<Guid, Peer>(), null, null);

        public static Routes Of(ClusterView view, Guid node, string secret, Routes former) => new(
            view.Lanes.Where(l => l.Owner is not null && l.Left > TimeSpan.Zero).ToDictionary(l => l.Lane, l => l.Owner!.Value),
            view.Nodes.Where(n => n.IsLive && n.Address is not null && n.Id != node).ToDictionary(
                n => n.Id,
                n => former.Secret == secret && former.Peers.TryGetValue(n.Id, out var known) && known.Address == n.Address
                    ? known
                    : new Peer(n.Id, n.Address!, KeyOf(n.Id, secret))),
            secret,
            former.Secret == secret ? former.OwnKey : Encoding.UTF8.GetBytes(KeyOf(node, secret)));

        /// <summary>Of that node alone: who gets hold of it, perhaps at a wrong address, can use it nowhere else.</summary>
        private static string KeyOf(Guid node, string secret) =>
            Convert.ToHexStringLower(HMACSHA256.HashData(Encoding.UTF8.GetBytes(secret), node.ToByteArray()));
    }
}

/// <summary>Executes commands that other nodes send to lanes of this one.</summary>
internal sealed class PeerCommands(LaneServices services, LaneSlots slots, PeerRequests peers)
{
    /// <exception cref="InvalidCommandException">It is not a request that this version knows.</exception>
    public async Task<PeerReply> ExecuteAsync(PeerRequest request)
    {
        if (request.Partition is < 0 or >= Partitioning.Count || !RemoteCommand.NeedsReply(request.Kind))
        {
            throw new InvalidCommandException(
                "kind", $"'{request.Kind}' for partition {request.Partition} is not a request between nodes of this version.");
        }

        try
        {
            var command = RemoteCommand.Parse(request.Body);
            if (request.Kind == RemoteKind.Start)
            {
                await services.EnsureDefinitions([(command.Definition!, command.Version)], CancellationToken.None);
            }

            if (slots.Of(request.Partition) is not { } lane)
            {
                return new(PeerOutcome.NotOwner, Owner: peers.OwnerOf(request.Partition));
            }

            if (!services.SeenRequests.TryPost(request.Id))
            {
                return new(PeerOutcome.Unknown);
            }

            var posted = new PeerLaneCommand(request, command, services);
            lane.Post(posted);
            return new(PeerOutcome.Answered, await posted.Completion);
        }
        catch (LaneMovedException)
        {
            return new(PeerOutcome.NotOwner, Owner: peers.OwnerOf(request.Partition));
        }
        catch (Exception e) when (e is StoreUnavailableException or EngineStoppedException)
        {
            return new(PeerOutcome.Unknown);
        }
        catch (WorkflowException e)
        {
            return new(PeerOutcome.Answered, RemoteReply.Of((Exception)e).ToJson());
        }
    }
}

/// <summary>Reads the replies to commands that this node has sent, as long as a caller waits for one.</summary>
internal sealed class PendingReplies(IClusterStore store, EngineRuntime runtime, ILogger logger) : IAsyncDisposable
{
    private const int MaxAsked = 500;
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan Rest = TimeSpan.FromSeconds(1);
    private readonly ConcurrentDictionary<Guid, TaskCompletionSource<RemoteReply>> _waiting = new();
    private readonly TimedAutoResetEvent _wake = new(runtime.IoTime);
    private readonly CancellationTokenSource _stop = new();
    private Task _loop = Task.CompletedTask;

    public void Start() => _loop = runtime.Run(RunAsync);

    public Task<RemoteReply> Add(Guid message)
    {
        var reply = new TaskCompletionSource<RemoteReply>(TaskCreationOptions.RunContinuationsAsynchronously);
        _waiting[message] = reply;
        _wake.Set();
        return reply.Task;
    }

    public void Remove(Guid message) => _waiting.TryRemove(message, out _);

    public async ValueTask DisposeAsync()
    {
        await runtime.CancelAsync(_stop);
        await _loop.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        foreach (var waiting in _waiting.Values)
        {
            waiting.TrySetException(new StoreUnavailableException(
                "The node stops before the reply to the command has come. It may or may not be committed: repeat it with the same "
                + "idempotency key.", outcomeUnknown: true));
        }

        _stop.Dispose();
    }

    private async Task RunAsync()
    {
        while (true)
        {
            await _wake.WaitAsync(_waiting.IsEmpty ? Rest : Interval, _stop.Token);
            try
            {
                await FetchAsync();
            }
            catch (Exception e) when (!_stop.IsCancellationRequested)
            {
                Log.RepliesFailed(logger, e);
            }
        }
    }

    private async Task FetchAsync()
    {
        foreach (var asked in _waiting.Keys.Chunk(MaxAsked))
        {
            foreach (var reply in await store.TakeRepliesAsync(asked, _stop.Token))
            {
                if (_waiting.TryRemove(reply.MessageId, out var waiting))
                {
                    waiting.TrySetResult(RemoteReply.Parse(reply.Body));
                }
            }
        }
    }
}
