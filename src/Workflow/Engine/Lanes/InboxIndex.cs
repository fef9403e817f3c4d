using Workflow.Abstractions.Stores;

namespace Workflow.Engine.Lanes;

/// <summary>
/// Which messages of a lane's inbox are on their way through it, so that reading the inbox again brings only others. One that was handled is
/// remembered until a reading that began after its commit is over: an earlier one may still show it. Should a message slip through all the same,
/// its flush finds it gone and is stale. Thread-safe.
/// </summary>
internal sealed class InboxBook
{
    private readonly Lock _gate = new();
    private readonly HashSet<Guid> _known = [];
    private readonly List<Guid> _handled = [];
    private bool _reading;

    /// <summary>Messages known and not handled.</summary>
    public int Waiting
    {
        get
        {
            lock (_gate)
            {
                return _known.Count - _handled.Count;
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

    /// <summary>Memory was loaded: its messages are on their way, and any other that was may be gone, e.g. withdrawn by its sender.</summary>
    public void Restart(IEnumerable<Guid> loaded)
    {
        lock (_gate)
        {
            _known.Clear();
            _known.UnionWith(loaded);
            _known.UnionWith(_handled);
        }
    }

    /// <summary>Messages were removed in a commit.</summary>
    public void Handled(IReadOnlyList<Guid> messages)
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
                    _handled.Add(message);
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
            _handled.ForEach(h => _known.Remove(h));
            _handled.Clear();
            _reading = false;
            return fresh;
        }
    }
}
