namespace Workflow.Abstractions.Stores;

/// <summary>Which ids a list has, and in which order.</summary>
/// <param name="After">Only ids after this one; null does not restrict.</param>
/// <param name="Before">Only ids before this one; null does not restrict.</param>
public readonly record struct ListBounds(Guid? After, Guid? Before, bool NewestFirst)
{
    public bool Contain(Guid id) => (After is null || id > After) && (Before is null || id < Before);
}
