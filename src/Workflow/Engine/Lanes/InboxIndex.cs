namespace Workflow.Engine.Lanes;

/// <summary>
/// The messages of an inbox that its lane already has, so that the next read posts only new ones. A removed message is
/// remembered until a read that began after its commit ends, because an earlier read may still return it. A message
/// that is posted twice is applied once. Thread-safe.
/// </summary>
internal sealed class InboxIndex
{
    private readonly Lock _gate = new();
    private readonly HashSet<Guid> _known = [];
    private readonly HashSet<Guid> _removed = [];

    /// <summary>
    /// The most recently applied messages. A lane of this node that learns late about its own commit may post a message
    /// again that was read long ago.
    /// </summary>
    private readonly RecentEntries<Guid, bool> _applied = new(capacity: 8_192);

    /// <summary>The messages that were known when the last load began.</summary>
    private IReadOnlyCollection<Guid> _beforeLoad = [];
    private int _loads;
    private bool _reading;
    private readonly List<Message> _held = [];
    private bool _isBehind = true;
    private bool _catchesUp;

    /// <summary>
    /// The number of loads of the lane's memory that have begun. The last load contains every message posted before it
    /// that was not applied.
    /// </summary>
    public int Loads => Volatile.Read(ref _loads);

    /// <summary>
    /// Whether the inbox may contain messages that are older than those that lanes of this node send.
    /// </summary>
    public bool IsBehind => Volatile.Read(ref _isBehind);

    /// <summary>Whether messages of lanes of this node are held back until the inbox is read.</summary>
    public bool HasHeldMessages
    {
        get
        {
            lock (_gate)
            {
                return _held.Count > 0;
            }
        }
    }

    /// <summary>The number of messages that are known and not removed.</summary>
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
    /// Adds a message of a lane of this node, which need not be read. While the inbox may contain earlier messages that
    /// the sending lane sent from another node, the message is held back until those are read.
    /// </summary>
    /// <returns>The load after which the message is posted; null if it is known, applied or held back.</returns>
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

    /// <summary>
    /// A lane moves to this node: messages that it sent from another node may be unread in the inbox.
    /// </summary>
    public void MarkBehind()
    {
        lock (_gate)
        {
            _isBehind = true;
            _catchesUp = false;
        }
    }

    public void BeginLoad()
    {
        lock (_gate)
        {
            Volatile.Write(ref _loads, _loads + 1);
            _beforeLoad = [.. _known];
        }
    }

    /// <summary>
    /// A load has ended: its messages are known. Other messages that were known when the load began were applied by a
    /// commit that the lane may not know about yet, and a read that began earlier may still return them. Messages that
    /// arrived since stay known.
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

    /// <summary>Records messages that were applied and removed in a commit.</summary>
    public void MarkApplied(IReadOnlyList<Guid> messages)
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

    /// <summary>Forgets new messages that were not posted. The next read finds them again.</summary>
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

    /// <summary>
    /// Everything that was in the inbox when the last read began is posted: posts the messages that were held back
    /// since.
    /// </summary>
    /// <param name="post">Called with each message and the load after which it is posted.</param>
    public void ReleaseHeld(Action<Message, int> post)
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

    /// <returns>The new messages among those read, and the load after which they are posted.</returns>
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
