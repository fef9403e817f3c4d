namespace UnitTests.Workflow.Simulation;

/// <summary>
/// A process, to which continuations belong: those of one that is killed are never run, those of one that stands still
/// wait until it goes on. It has its own wall clock, which may jump; its timers do not.
/// </summary>
internal sealed class SimulatedProcess(SimulationLoop loop, int number) : SynchronizationContext
{
    private readonly List<WorkItem> _held = [];
    private bool _stands;

    public int Number => number;
    public bool IsAlive { get; private set; } = true;
    public TimeSpan ClockError { get; set; }
    public TimeProvider Clock => field ??= new ProcessTime(this, loop.Time);

    /// <summary>Called when it is killed.</summary>
    public event Action? Killed;

    public override void Post(SendOrPostCallback d, object? state)
    {
        // Finalizers also post the remains of a killed process, on their thread.
        if (IsAlive)
        {
            loop.Add(new(this, d, state));
        }
    }

    public override void Send(SendOrPostCallback d, object? state) =>
        throw new NotSupportedException("Nothing blocks in a simulation.");

    public override SynchronizationContext CreateCopy() => this;

    /// <summary>Calls in the process, after a pause if one is given.</summary>
    public void Post(Action call, TimeSpan after = default)
    {
        if (after == TimeSpan.Zero)
        {
            loop.Add(new(this, static c => ((Action)c!)(), call));
        }
        else
        {
            Clock.CreateTimer(static c => ((Action)c!)(), call, after, Timeout.InfiniteTimeSpan);
        }
    }

    public void Kill()
    {
        IsAlive = false;
        _held.Clear();
        Killed?.Invoke();
    }

    public void Pause() => _stands = true;

    public void Resume()
    {
        _stands = false;
        _held.ForEach(loop.Add);
        _held.Clear();
    }

    /// <returns>True when the item is not to be run now.</returns>
    public bool TryHold(WorkItem item)
    {
        if (IsAlive && _stands)
        {
            _held.Add(item);
        }

        return !IsAlive || _stands;
    }

    private sealed class ProcessTime(SimulatedProcess process, TimeProvider time) : TimeProvider
    {
        public override long TimestampFrequency => time.TimestampFrequency;
        public override DateTimeOffset GetUtcNow() => time.GetUtcNow() + process.ClockError;
        public override long GetTimestamp() => time.GetTimestamp();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            var timer = new ProcessTimer();
            timer.Inner = time.CreateTimer(_ => Ring(timer), null, dueTime, period);
            return timer;

            void Ring(ProcessTimer expired)
            {
                if (process.IsAlive)
                {
                    process.Post(s => callback(s), state);
                }
                else
                {
                    expired.Dispose();
                }
            }
        }
    }

    private sealed class ProcessTimer : ITimer
    {
        public ITimer? Inner { get; set; }
        public bool Change(TimeSpan dueTime, TimeSpan period) => Inner!.Change(dueTime, period);
        public void Dispose() => Inner!.Dispose();
        public ValueTask DisposeAsync() => Inner!.DisposeAsync();
    }
}
