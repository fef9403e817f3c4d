using Workflow.Engine.Events;

namespace Workflow.Engine.Lanes;

/// <summary>The lanes that run here, by number, and the event streams of all lanes.</summary>
/// <param name="count">The number of lanes that share the partitions. Streams with higher numbers were written by an
/// engine with more lanes.</param>
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

    /// <summary>
    /// Lanes that run here or are being ended. A lane that is closing is always found in one of the two places.
    /// </summary>
    public IEnumerable<Lane> All => _slots.Concat(_closed).OfType<Lane>();

    public Lane? this[int index] => Volatile.Read(ref _slots[index]);
    public EventPosition End =>
        logs.Aggregate(EventPosition.Start, (position, log) => position.With(log.Stream, log.Last));

    /// <summary>Finds the position at which a reader of the streams starts.</summary>
    /// <param name="cluster">Knows what other nodes have written meanwhile; null if one engine owns the store.</param>
    public async ValueTask<EventBegin> LocateAsync(
        EventPosition asked, IClusterStore? cluster, CancellationToken cancellationToken)
    {
        if (!End.Reaches(asked) && cluster is not null)
        {
            foreach (var (stream, last) in await cluster.ReadStreamEndsAsync(cancellationToken))
            {
                if (stream < logs.Count)
                {
                    logs[stream].Advance(last);
                }
            }
        }

        var missed = asked.Past(End);
        return missed == 0
            ? new(asked.Below(logs.Count))
            : new(logs.Aggregate(EventPosition.Start, (position, log) => position.With(log.Stream, 0)), missed);
    }

    /// <summary>
    /// The in-flight integral of all lanes that run or have run here, in instances times clock ticks. Whole numbers, so
    /// that the sum does not decrease by rounding when a lane leaves.
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

    /// <summary>Lets every lane check for timed-out callers once a second until it is cancelled.</summary>
    public async Task CheckCallersAsync(TimeProvider time, CancellationToken cancellationToken)
    {
        while (true)
        {
            await Task.Delay(TimeSpan.FromSeconds(1), time, cancellationToken);
            foreach (var lane in Running)
            {
                lane.CheckCallers();
            }
        }
    }

    /// <summary>The lane of the partition; null if it runs on another node.</summary>
    public Lane? Of(short partition) => this[partition % count];

    /// <summary>Routes commands to the lane from now on.</summary>
    public void Run(Lane lane)
    {
        lock (_counting)
        {
            _counted.Add(lane);
        }

        Volatile.Write(ref _slots[lane.Assignment.Index], lane);
    }

    /// <summary>Stops routing commands to the lane. Ending the lane follows.</summary>
    public void Close(int index)
    {
        Volatile.Write(ref _closed[index], this[index]);
        Volatile.Write(ref _slots[index], null);
    }

    /// <summary>The lane that is closed and not yet ended.</summary>
    public Lane? Closed(int index) => Volatile.Read(ref _closed[index]);

    /// <summary>
    /// Ends a closed lane and commits the commands it has accepted. One call at a time for each lane.
    /// </summary>
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
                // The next owner counts the instances that are in flight now.
                lock (_counting)
                {
                    _endedTicks += lane.ReadInFlight().Ticks;
                    _counted.Remove(lane);
                }

                Volatile.Write(ref _closed[index], null);
            }
        }
    }

    /// <summary>Any partition of a lane that runs here; null if no lane runs here.</summary>
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
