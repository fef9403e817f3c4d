using Workflow.Engine.Events;

namespace Workflow.Engine.Lanes;

/// <summary>The lanes that run here, by number, and the event streams of all there are.</summary>
/// <param name="count">How many lanes the partitions are divided among; streams past them are left from an engine with more.</param>
/// <param name="anyGrew">Set when one of the logs grows.</param>
internal sealed class LaneSlots(int count, IReadOnlyList<EventLog> logs, ReaderSignal anyGrew)
{
    private readonly Lane?[] _slots = new Lane?[logs.Count];
    private readonly Lane?[] _closed = new Lane?[logs.Count];
    private readonly Lock _counting = new();
    private readonly List<Lane> _counted = [];
    private Int128 _endedTicks;

    public IReadOnlyList<EventLog> Logs => logs;
    public ReaderSignal AnyGrew => anyGrew;
    public int Count => count;
    public IEnumerable<Lane> Running => _slots.OfType<Lane>();

    /// <summary>Lanes that run here or are being ended: one that leaves is always found, wherever it is by then.</summary>
    public IEnumerable<Lane> All => _slots.Concat(_closed).OfType<Lane>();

    public Lane? this[int index] => Volatile.Read(ref _slots[index]);
    public EventPosition End => logs.Aggregate(EventPosition.Start, (position, log) => position.With(log.Stream, log.Last));

    /// <summary>
    /// The in-flight integral of all lanes that run here or have, in instances times the clock's ticks: whole numbers, so that it does not
    /// fall by a rounding when a lane leaves.
    /// </summary>
    public Int128 InFlightTicks
    {
        get
        {
            lock (_counting)
            {
                return _counted.Aggregate(_endedTicks, (sum, lane) => sum + lane.ReadInFlight().Ticks);
            }
        }
    }

    /// <summary>Looks after those who wait for a lane, every second until it is cancelled.</summary>
    public async Task WatchAsync(TimeProvider time, CancellationToken cancellationToken)
    {
        while (true)
        {
            await Task.Delay(TimeSpan.FromSeconds(1), time, cancellationToken);
            foreach (var lane in Running)
            {
                lane.Watch();
            }
        }
    }

    /// <summary>The lane of the partition; null when it runs on another node.</summary>
    public Lane? Of(short partition) => this[partition % count];

    /// <summary>From now on commands go to the lane.</summary>
    public void Run(Lane lane)
    {
        lock (_counting)
        {
            _counted.Add(lane);
        }

        Volatile.Write(ref _slots[lane.Assignment.Index], lane);
    }

    /// <summary>Commands do not go to the lane any more; ending it follows.</summary>
    public void Close(int index)
    {
        Volatile.Write(ref _closed[index], this[index]);
        Volatile.Write(ref _slots[index], null);
    }

    /// <summary>The lane that is closed and not yet ended.</summary>
    public Lane? Closed(int index) => Volatile.Read(ref _closed[index]);

    /// <summary>Ends a closed lane: commits the commands that it has accepted. Once at a time for each lane.</summary>
    public async Task EndAsync(int index)
    {
        if (Closed(index) is { } lane)
        {
            try
            {
                await lane.DisposeAsync();
            }
            finally
            {
                // What is in flight now is counted by the next owner.
                lock (_counting)
                {
                    _endedTicks += lane.ReadInFlight().Ticks;
                    _counted.Remove(lane);
                }

                Volatile.Write(ref _closed[index], null);
            }
        }
    }

    /// <summary>Any partition of a lane that runs here; null when no lane runs here.</summary>
    /// <param name="random">Decides which.</param>
    public short? AnyPartition(int random)
    {
        var here = Enumerable.Range(0, count).Where(i => this[i] is not null).ToArray();
        if (here.Length == 0)
        {
            return null;
        }

        var index = here[random % here.Length];
        var partitions = ((Partitioning.Count - 1 - index) / count) + 1;
        return (short)(index + (count * (random / here.Length % partitions)));
    }
}
