using System.Security.Cryptography;

namespace Workflow.Engine.Cluster;

/// <summary>
/// Sends commands that need a reply to the nodes that own their lanes, as of the last renewal. A node accepts such a
/// command only for a lane it owns and never forwards it, so there are no loops. If the owner cannot be reached or does
/// not reply, the inbox is used instead.
/// </summary>
/// <param name="progressed">Called when no request waits any more.</param>
internal sealed class PeerRequests(
    ClusterOptions options, EngineLimits limits, int lanes, Guid node, Action progressed, TimeProvider time,
    ILogger logger)
{
    /// <summary>The owner by the leases, and one more that it names.</summary>
    private const int MaxTries = 2;

    private const int SecretBytes = 32;

    /// <summary>How long a node that did not reply is not asked again.</summary>
    private static readonly TimeSpan RestTime = TimeSpan.FromSeconds(1);

    /// <summary>The requests that wait for each node: one that answers slowly takes no room from the others.</summary>
    private readonly ConcurrentDictionary<Guid, Line> _lines = new();

    /// <summary>When each node that is away was last asked in vain; it stays here until it replies.</summary>
    private readonly ConcurrentDictionary<Guid, long> _restingSince = new();
    private volatile Routes _routes = Routes.None;
    private volatile Uri? _address;
    private long _answered;

    /// <summary>The address at which other nodes reach this one; null until it is published.</summary>
    public Uri? Address
    {
        get => _address;
        set => _address = value;
    }

    /// <summary>The number of commands that other nodes have answered.</summary>
    public long Answered => Interlocked.Read(ref _answered);

    public int Pending => _lines.Values.Sum(line => line.Count);

    /// <summary>
    /// Publishes the address if other nodes need it and do not have it, and updates the owners of the lanes.
    /// </summary>
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

        foreach (var (id, _) in _lines.Where(line => line.Value.Count == 0 && !_routes.Peers.ContainsKey(line.Key)))
        {
            _lines.TryRemove(id, out _);
        }
    }

    /// <summary>The owner of the partition's lane, as of the last renewal.</summary>
    public Guid? OwnerOf(short partition) =>
        _routes.Owners.TryGetValue(partition % lanes, out var owner) ? owner : null;

    /// <summary>Whether the owner of the partition can be asked directly.</summary>
    public bool CanReach(short partition) => Find(OwnerOf(partition)) is not null;

    /// <summary>Whether the key is the one that other nodes present to this one. Compared in constant time.</summary>
    public bool IsOwnKey(string? presented) => _routes.OwnKey is { } own && presented is not null
        && CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(presented), own);

    /// <summary>Sends a command to the owner of its lane, or to the new owner if the lane has moved.</summary>
    /// <returns>The owner's reply, or the outcome of the last attempt.</returns>
    /// <exception cref="OverloadedException">Too many requests wait for other nodes.</exception>
    public async Task<PeerReply> AskAsync(PeerRequest request)
    {
        if (OwnerOf(request.Partition) is not { } first)
        {
            return new(PeerOutcome.Unreachable);
        }

        var line = _lines.GetOrAdd(first, _ => new(limits, time));
        line.Add(request.Body.Length);
        try
        {
            Guid? owner = first;
            for (var tries = 1; ; tries++)
            {
                if (Find(owner) is not { } peer)
                {
                    return new(PeerOutcome.Unreachable);
                }

                var reply = await options.Peers!.SendAsync(peer, request, options.Lease);
                if (reply.Outcome is PeerOutcome.Unknown or PeerOutcome.Unreachable)
                {
                    Rest(peer, reply.Outcome);
                    return reply;
                }

                if (_restingSince.TryRemove(peer.Id, out _))
                {
                    Log.PeerBack(logger, peer.Address);
                }

                // Prefer the owner that the reply names: that node's view may be newer.
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
            if (line.End(request.Body.Length))
            {
                progressed();
            }
        }
    }

    /// <summary>Logged once for each time that the node is away, however often it is asked meanwhile.</summary>
    private void Rest(Peer peer, PeerOutcome outcome)
    {
        var now = time.GetTimestamp();
        if (_restingSince.TryAdd(peer.Id, now))
        {
            Log.PeerFailed(logger, peer.Address, outcome.ToString(), RestTime.TotalSeconds);
        }
        else
        {
            _restingSince[peer.Id] = now;
        }
    }

    private Peer? Find(Guid? owner) =>
        owner is { } id && _routes.Peers.TryGetValue(id, out var peer)
            && !(_restingSince.TryGetValue(id, out var since) && time.GetElapsedTime(since) < RestTime)
            ? peer
            : null;

    /// <summary>
    /// The requests that wait for one node: no more, and no larger, than the commands that wait for a lane.
    /// </summary>
    private sealed class Line(EngineLimits limits, TimeProvider time)
    {
        /// <summary>
        /// The minimum time over which the rate of replies is measured, because replies arrive in bursts.
        /// </summary>
        private static readonly TimeSpan RateInterval = TimeSpan.FromMilliseconds(100);

        private readonly Backlog _backlog = new(limits, time);
        private readonly Lock _ending = new();
        private int _endedSince;

        public int Count => _backlog.Count;

        /// <exception cref="OverloadedException">Too many requests wait for the node.</exception>
        public void Add(long size) => _backlog.AddFromClient(size);

        /// <returns>Whether no request waits any more.</returns>
        public bool End(long size)
        {
            lock (_ending)
            {
                _endedSince++;
                if (_backlog.TimeSinceProgress >= RateInterval)
                {
                    _backlog.RecordProgress(_endedSince);
                    _endedSince = 0;
                }

                _backlog.Remove(size);
                var isEmpty = _backlog.MarkAnswered();
                _endedSince = isEmpty ? 0 : _endedSince;
                return isEmpty;
            }
        }
    }

    /// <summary>The owners and peers as of one renewal.</summary>
    private sealed record Routes(
        IReadOnlyDictionary<int, Guid> Owners, IReadOnlyDictionary<Guid, Peer> Peers, string? Secret, byte[]? OwnKey)
    {
        public static readonly Routes None = new(new Dictionary<int, Guid>(), new Dictionary<Guid, Peer>(), null, null);

        public static Routes Of(ClusterView view, Guid node, string secret, Routes former) => new(
            view.Lanes.Where(l => l.Owner is not null && l.Left > TimeSpan.Zero).ToDictionary(
                l => l.Lane, l => l.Owner!.Value),
            view.Nodes.Where(n => n.IsLive && n.Address is not null && n.Id != node).ToDictionary(
                n => n.Id,
                n => former.Secret == secret && former.Peers.TryGetValue(n.Id, out var known)
                && known.Address == n.Address
                    ? known
                    : new Peer(n.Id, n.Address!, KeyOf(n.Id, secret))),
            secret,
            former.Secret == secret ? former.OwnKey : Encoding.UTF8.GetBytes(KeyOf(node, secret)));

        /// <summary>
        /// The key is valid for that node only: if it leaks, for example to a wrong address, no other node accepts it.
        /// </summary>
        private static string KeyOf(Guid node, string secret) =>
            Convert.ToHexStringLower(HMACSHA256.HashData(Encoding.UTF8.GetBytes(secret), node.ToByteArray()));
    }
}
