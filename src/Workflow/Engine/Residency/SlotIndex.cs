namespace Workflow.Engine.Residency;

/// <summary>
/// The slots in which dormant instances of a lane may wait. It outlives the memory of the lane: a load reads the same
/// store again. Until every stored slot is read, it cannot say that a slot is empty.
/// </summary>
internal sealed class SlotIndex
{
    /// <summary>A filter is rebuilt when it holds this many slots more than twice those that are stored.</summary>
    private const long Slack = 1_000_000;

    private SlotFilter? _complete;
    private SlotFilter? _building;

    /// <summary>Whether stored slots are being read, page by page.</summary>
    public bool IsBuilding => _building is not null;

    public bool IsComplete => _complete is not null;

    /// <summary>Nothing is dormant: the index is complete without reading.</summary>
    public void BeginEmpty() => _complete ??= new();

    /// <summary>The caller reads all stored slots from now on. Slots that are added meanwhile are kept too.</summary>
    public void BeginBuild() => _building = new();

    public bool NeedsRebuild(long stored) => !IsBuilding && _complete is { } filter
        && filter.Added > (2 * stored) + Slack;

    public void Add(long slot)
    {
        _complete?.Add(slot);
        _building?.Add(slot);
    }

    /// <summary>
    /// Adds stored slots. A lane may repeat the command that adds them, also after it has added the last ones.
    /// </summary>
    public void AddStored(IReadOnlyList<long> slots, bool isLast)
    {
        if (_building is null)
        {
            return;
        }

        foreach (var slot in slots)
        {
            _building.Add(slot);
        }

        if (isLast)
        {
            (_complete, _building) = (_building, null);
        }
    }

    public bool MayContain(long slot) => _complete?.MayContain(slot) ?? true;
}
