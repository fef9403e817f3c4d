using System.Diagnostics.CodeAnalysis;

namespace Workflow.Engine.Residency;

/// <summary>
/// The instances in a lane's memory, by id and in the order of their last use. Each instance holds its own links of the
/// list, so that using one costs a few writes.
/// </summary>
internal sealed class Residents
{
    private readonly Dictionary<Guid, LiveInstance> _byId = [];
    private LiveInstance? _newest;

    public int Count => _byId.Count;

    /// <summary>The size of all rows (<see cref="LiveInstance.RowSize"/>) when they were last used.</summary>
    public long Size { get; private set; }

    /// <summary>The instance that was used the longest time ago; null if there is none.</summary>
    public LiveInstance? Oldest { get; private set; }

    public IReadOnlyCollection<LiveInstance> All => _byId.Values;

    public LiveInstance? Find(Guid id) => _byId.GetValueOrDefault(id);

    public bool Contains(Guid id) => _byId.ContainsKey(id);

    public void Add(LiveInstance instance, DateTimeOffset now)
    {
        _byId.Add(instance.Id, instance);
        Append(instance, now);
    }

    public bool Remove(Guid id, [NotNullWhen(true)] out LiveInstance? instance)
    {
        if (!_byId.Remove(id, out instance))
        {
            return false;
        }

        Unlink(instance);
        return true;
    }

    /// <summary>The instance is used: it becomes the newest.</summary>
    public void Use(LiveInstance instance, DateTimeOffset now)
    {
        if (ReferenceEquals(_byId.GetValueOrDefault(instance.Id), instance))
        {
            Unlink(instance);
            Append(instance, now);
        }
    }

    private void Append(LiveInstance instance, DateTimeOffset now)
    {
        instance.UsedUtc = now;
        instance.CountedSize = instance.RowSize;
        Size += instance.CountedSize;
        instance.Older = _newest;
        if (_newest is null)
        {
            Oldest = instance;
        }
        else
        {
            _newest.Newer = instance;
        }

        _newest = instance;
    }

    private void Unlink(LiveInstance instance)
    {
        Size -= instance.CountedSize;
        var (older, newer) = (instance.Older, instance.Newer);
        (instance.Older, instance.Newer) = (null, null);
        if (older is null)
        {
            Oldest = newer;
        }
        else
        {
            older.Newer = newer;
        }

        if (newer is null)
        {
            _newest = older;
        }
        else
        {
            newer.Older = older;
        }
    }
}
