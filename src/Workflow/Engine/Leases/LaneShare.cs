using Workflow.Abstractions.Stores;

namespace Workflow.Engine.Leases;

/// <summary>
/// How many lanes a node is to have: each the same number, the first nodes by id one more where it does not come out even. Every node that sees the
/// same nodes comes to the same result, so that shares add up to all lanes.
/// </summary>
internal static class LaneShare
{
    public static int Of(Guid node, ClusterView view)
    {
        var live = view.Nodes.Where(n => n.IsLive).Select(n => n.Id).Order().ToArray();
        var rank = Array.IndexOf(live, node);
        return rank < 0 ? 0 : (view.Lanes.Count / live.Length) + (rank < view.Lanes.Count % live.Length ? 1 : 0);
    }
}
