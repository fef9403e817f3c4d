namespace Workflow.Engine.Lanes;

/// <summary>
/// The messages of an inbox that its lane already has, so that the next reading posts only new ones. A removed message is remembered until
/// a reading that began after its commit is over: an earlier reading may still show it. A message that is posted twice all the same is
/// applied once. Thread-safe.
/// </summary>
internal sealed class InboxIndex
{
    private readonly Lock _gate = new();
    private readonly HashSet<Guid> _known = [];
    private readonly HashSet<Guid> _removed = [];

    /// <summary>The last that were applied. A lane nearby that learns of its own commit late hands over what was read long ago.</summary>
    private readonly RecentEntries<Guid, bool> _applied = new(capacity: 8_192);

    /// <summary>Those that were known when the last load began.</summary>
    private IReadOnlyCollection<Guid> _beforeLoad = [];
    private int _loads;
    private bool _reading;
    private readonly List<Message> _held = [];
    private bool _isBehind = true;
    private bool _catchesUp;

    /// <summary>Loads of the lane's memory that have begun. The last one has every message posted before it, or it was applied.</summary>
    public int Loads => Volatile.Read(ref _loads);

    /// <summary>Whether messages may lie in the inbox that were sent before those that lanes of this node send.</summary>
    public bool IsBehind => Volatile.Read(ref _isBehind);

    /// <summary>Whether messages of lanes of this node wait for that.</summary>
    public bool HoldsBack
    {
        get
        {
            lock (_gate)
            {
                return _held.Count > 0;
            }
        }
    }

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

    /// <summary>
    /// Adds a message of a lane of this node, which need not be read. While others may lie in the inbox that its lane sent before it from
    /// another node, it is held back until those are read.
    /// </summary>
    /// <returns>The load after which it is posted; null when it is known already, was applied, or is held back.</returns>
    public int? TryAdd(Message message)
    {
        lock (_gate)
        {
            if (_applied.Find(message.Id))
            {
                return null;
            }

            if (_isBehind)
            {
                _held.Add(message);
            }

            return !_isBehind && _known.Add(message.Id) ? _loads : null;
        }
    }

    /// <summary>A lane comes to this node: what it sent from another one may lie unread in the inbox.</summary>
    public void FallBehind()
    {
        lock (_gate)
        {
            _isBehind = true;
            _catchesUp = false;
        }
    }

    /// <summary>Memory is about to be read from the store.</summary>
    public void BeginLoad()
    {
        lock (_gate)
        {
            Volatile.Write(ref _loads, _loads + 1);
            _beforeLoad = [.. _known];
        }
    }

    /// <summary>
    /// Memory was loaded: its messages are known. Others that were known when the load began were applied, by a commit of which the lane
    /// may not know yet, and a reading that began before may still show them. What came since is on its way, and stays known.
    /// </summary>
    public void EndLoad(IReadOnlyCollection<Guid> loaded)
    {
        lock (_gate)
        {
            RemoveApplied([.. _beforeLoad.Except(loaded)]);
            _known.UnionWith(loaded);
            _removed.ExceptWith(loaded);
        }
    }

    /// <summary>Messages were applied, and removed in that commit.</summary>
    public void Removed(IReadOnlyList<Guid> messages)
    {
        if (messages.Count == 0)
        {
            return;
        }

        lock (_gate)
        {
            RemoveApplied(messages);
        }
    }

    /// <summary>Messages that were new were not posted: the next reading finds them again.</summary>
    public void Forget(IReadOnlyList<Message> messages)
    {
        lock (_gate)
        {
            _known.ExceptWith(messages.Select(message => message.Id));
        }
    }

    public void BeginReading()
    {
        lock (_gate)
        {
            _reading = true;
            _catchesUp = true;
        }
    }

    /// <summary>All that was in the inbox when the last reading began is posted: posts what was held back since.</summary>
    /// <param name="post">Called with each and the load after which it is posted.</param>
    public void CatchUp(Action<Message, int> post)
    {
        lock (_gate)
        {
            if (_catchesUp)
            {
                _held.Where(m => _known.Add(m.Id)).ToList().ForEach(m => post(m, _loads));
                _held.Clear();
                _isBehind = false;
            }
        }
    }

    /// <returns>Those of the messages read that are new, and the load after which they are posted.</returns>
    public (IReadOnlyList<Message> Fresh, int Load) EndReading(IEnumerable<Message> messages)
    {
        lock (_gate)
        {
            var fresh = messages.Where(m => _known.Add(m.Id)).ToArray();
            _known.ExceptWith(_removed);
            _removed.Clear();
            _reading = false;
            return (fresh, _loads);
        }
    }

    private void RemoveApplied(IReadOnlyList<Guid> messages)
    {
        foreach (var message in messages.Where(_known.Contains))
        {
            _applied.TryAdd(message, true);
        }

        _held.RemoveAll(m => messages.Contains(m.Id));
        if (_reading)
        {
            _removed.UnionWith(messages.Where(_known.Contains));
        }
        else
        {
            _known.ExceptWith(messages);
        }
    }
}
