using Workflow.Abstractions.Stores;

namespace Workflow.Engine.Lanes;

/// <summary>
/// The messages of an inbox that its lane already has, so that the next reading posts only new ones. A removed message is remembered until
/// a reading that began after its commit is over: an earlier reading may still show it. If a message is posted twice all the same, its
/// flush finds it gone and is stale. Thread-safe.
/// </summary>
internal sealed class InboxIndex
{
    private readonly Lock _gate = new();
    private readonly HashSet<Guid> _known = [];
    private readonly List<Guid> _removed = [];
    private bool _reading;

    /// <summary>Messages known and not removed.</summary>
    public int Waiting
    {
        get
        {
            lock (_gate)
            {
                return _known.Count - _removed.Count;
            }
        }
    }

    /// <returns>False when it is known already.</returns>
    public bool TryAdd(Guid message)
    {
        lock (_gate)
        {
            return _known.Add(message);
        }
    }

    /// <summary>Memory was loaded: its messages are known; others may be gone.</summary>
    public void Restart(IEnumerable<Guid> loaded)
    {
        lock (_gate)
        {
            _known.Clear();
            _known.UnionWith(loaded);
            _known.UnionWith(_removed);
        }
    }

    /// <summary>Messages were removed in a commit.</summary>
    public void Removed(IReadOnlyList<Guid> messages)
    {
        if (messages.Count == 0)
        {
            return;
        }

        lock (_gate)
        {
            foreach (var message in messages.Where(_known.Contains))
            {
                if (_reading)
                {
                    _removed.Add(message);
                }
                else
                {
                    _known.Remove(message);
                }
            }
        }
    }

    public void BeginReading()
    {
        lock (_gate)
        {
            _reading = true;
        }
    }

    /// <returns>Those of the messages read that are new.</returns>
    public IReadOnlyList<MessageRow> EndReading(IEnumerable<MessageRow> messages)
    {
        lock (_gate)
        {
            var fresh = messages.Where(m => _known.Add(m.Id)).ToArray();
            _removed.ForEach(m => _known.Remove(m));
            _removed.Clear();
            _reading = false;
            return fresh;
        }
    }
}
