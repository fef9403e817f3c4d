namespace PerformanceTesting.Subjects;

/// <summary>What happens to a node in the middle of a load, on purpose.</summary>
public enum NodeChange
{
    None,

    /// <summary>It is killed, and its users' requests go to another node with the same idempotency key.</summary>
    Killed,

    /// <summary>Requests stop going to it, and it is stopped in order: scale-down.</summary>
    Drained,
}
