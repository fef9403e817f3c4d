namespace Workflow.Engine.Lanes;

/// <summary>
/// The latest requests of other nodes, for all lanes. A request that arrives twice is posted once. If its sender also
/// put it into the inbox, only that copy counts: a copy applied after the first was refused would have an effect that
/// nobody knows about. Thread-safe.
/// </summary>
internal sealed class SeenRequests
{
    private const int Capacity = 65_536;

    private readonly Lock _gate = new();
    private readonly RecentEntries<Guid, bool> _posted = new(Capacity);
    private readonly RecentEntries<Guid, bool> _fromInbox = new(Capacity);

    /// <returns>False if the request was posted before.</returns>
    public bool TryPost(Guid request)
    {
        lock (_gate)
        {
            return _posted.TryAdd(request, true);
        }
    }

    /// <summary>
    /// Records that the sender put the request into the inbox and that it is about to be posted from there.
    /// </summary>
    public void AddFromInbox(Guid request)
    {
        lock (_gate)
        {
            _fromInbox.TryAdd(request, true);
        }
    }

    public bool IsFromInbox(Guid request)
    {
        lock (_gate)
        {
            return _fromInbox.Find(request);
        }
    }
}
