namespace Workflow.Engine.Activities;

/// <summary>
/// Limits the number of activities that run on a node at the same time. The others wait in the order of their launches.
/// Thread-safe.
/// </summary>
internal sealed class ActivitySlots(int count)
{
    private readonly Lock _gate = new();
    private readonly Queue<Func<bool>> _waiting = new();
    private int _running;

    public int Running
    {
        get
        {
            lock (_gate)
            {
                return _running;
            }
        }
    }

    public int Waiting
    {
        get
        {
            lock (_gate)
            {
                return _waiting.Count;
            }
        }
    }

    /// <summary>Calls an activity now or when a slot is free.</summary>
    /// <param name="tryCall">Starts the call, which must call <see cref="End"/> when it has ended. Returns false if the
    /// call is no longer needed.</param>
    public void Begin(Func<bool> tryCall)
    {
        lock (_gate)
        {
            if (_running == count)
            {
                _waiting.Enqueue(tryCall);
                return;
            }

            _running++;
        }

        if (!tryCall())
        {
            End();
        }
    }

    public void End()
    {
        Func<bool>? next;
        do
        {
            lock (_gate)
            {
                if (!_waiting.TryDequeue(out next))
                {
                    _running--;
                    return;
                }
            }
        }
        while (!next());
    }
}
