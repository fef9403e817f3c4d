namespace Workflow.Engine.Cluster;

/// <summary>
/// Which lanes of other nodes are served. A lease may be that of a node that was killed, so its owner counts from the
/// first renewal that this node has seen.
/// </summary>
/// <param name="longest">How old the last renewal may be.</param>
internal sealed class OwnerWatch(Guid node, TimeSpan longest, TimeProvider time)
{
    private volatile IReadOnlyDictionary<int, Sighting> _lanes = new Dictionary<int, Sighting>();

    /// <summary>Takes over a view. Called by one thread at a time.</summary>
    public void Observe(ClusterView view)
    {
        var now = time.GetTimestamp();
        _lanes = view.Lanes.Where(l => l.Owner is { } owner && owner != node)
            .ToDictionary(l => l.Lane, l => See(l, now));
    }

    public bool IsServed(int lane) => _lanes.TryGetValue(lane, out var seen) && seen.RenewedTicks is { } renewed
        && time.GetElapsedTime(renewed) <= longest;

    private Sighting See(LeaseRow lease, long now)
    {
        var former = _lanes.GetValueOrDefault(lease.Lane);

        // Time left only shrinks, unless the owner has renewed.
        var isSame = former is not null && former.Owner == lease.Owner;
        var isRenewed = isSame && lease.Left > former!.Left;
        return new(lease.Owner!.Value, lease.Left, isRenewed ? now : isSame ? former!.RenewedTicks : null);
    }

    private sealed record Sighting(Guid Owner, TimeSpan Left, long? RenewedTicks);
}
