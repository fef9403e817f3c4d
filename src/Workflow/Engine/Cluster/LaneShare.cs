namespace Workflow.Engine.Cluster;

/// <summary>
/// The number of lanes that a node should own: lanes divided by nodes, plus one for the first nodes by id while a
/// remainder is left. Nodes with the same view compute the same shares, which add up to all lanes.
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
