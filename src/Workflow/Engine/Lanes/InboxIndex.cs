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
    private bool _reading;
    private readonly List<Message> _held = [];
    private bool _isBehind = true;
    private bool _catchesUp;

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
    /// <returns>False when it is known already, or held back.</returns>
    public bool TryAdd(Message message)
    {
        lock (_gate)
        {
            if (_isBehind)
            {
                _held.Add(message);
            }

            return !_isBehind && _known.Add(message.Id);
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

    /// <summary>
    /// Memory was loaded: its messages are known. Others were applied, by a commit of which the lane may not know yet, and a reading that
    /// began before may still show them; or they came since.
    /// </summary>
    public void Restart(IReadOnlyCollection<Guid> loaded)
    {
        lock (_gate)
        {
            Remove([.. _known.Except(loaded)]);
            _known.UnionWith(loaded);
            _removed.ExceptWith(loaded);
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
            Remove(messages);
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
    public void CatchUp(Action<Message> post)
    {
        lock (_gate)
        {
            if (_catchesUp)
            {
                _held.Where(m => _known.Add(m.Id)).ToList().ForEach(post);
                _held.Clear();
                _isBehind = false;
            }
        }
    }

    /// <returns>Those of the messages read that are new.</returns>
    public IReadOnlyList<Message> EndReading(IEnumerable<Message> messages)
    {
        lock (_gate)
        {
            var fresh = messages.Where(m => _known.Add(m.Id)).ToArray();
            _known.ExceptWith(_removed);
            _removed.Clear();
            _reading = false;
            return fresh;
        }
    }

    private void Remove(IReadOnlyList<Guid> messages)
    {
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
