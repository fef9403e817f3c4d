namespace Workflow.Abstractions.Stores;

/// <summary>
/// A lane and the partitions it owns: those with partition modulo count equal to index. An index of count or more owns
/// none; such a lane is left over from an engine with more lanes, and only its event stream is still carried out.
/// </summary>
/// <param name="Index">From 0. It is also the number of the lane's event stream.</param>
public sealed record LaneAssignment(int Index, int Count)
{
    /// <summary>
    /// The node that holds the lane's lease; null if one engine owns the store. <see cref="ILaneStore.LoadAsync"/>
    /// takes the lane over only while the node holds the lease.
    /// </summary>
    public Guid? Node { get; init; }

    public bool Owns(short partition) => partition % Count == Index;
}
