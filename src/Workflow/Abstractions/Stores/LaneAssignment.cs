namespace Workflow.Abstractions.Stores;

/// <summary>
/// A lane and the partitions it owns: those with partition modulo count equal to index. An index of count or more owns none; such a lane is left
/// over from an engine with more lanes, and only its event stream is still carried out.
/// </summary>
/// <param name="Index">From 0. It is also the number of the lane's event stream.</param>
/// <param name="Count">How many lanes there are.</param>
public sealed record LaneAssignment(int Index, int Count)
{
    /// <summary>
    /// The node that holds the lane's lease; null in a store that one engine owns alone. A store takes the lane over only while the lease is this node's.
    /// </summary>
    public Guid? Node { get; init; }

    /// <summary>Whether the lane owns a partition.</summary>
    public bool Owns(short partition) => partition % Count == Index;
}
