namespace LoadTesting.Core.Load.Operations;

/// <summary>
/// The ledger of a batch's operations: counts and histograms, so that memory does not grow with the batch. Each
/// operation is added once, when it is over. Writing is safe for concurrent use; read after the batch has settled.
/// </summary>
public sealed class OperationTally(TimeSpan dueAfter, BatchShape shape = BatchShape.Together)
{
    /// <summary>
    /// The wall clock that sets the due time and the monotonic clock that measures may drift apart by this much in 2 s.
    /// </summary>
    private static readonly long ClockTolerance = Ticks(TimeSpan.FromMilliseconds(5));

    private readonly TimeSpan _dueAfter = dueAfter;
    private readonly BatchShape _shape = shape;
    private readonly Lock _gate = new();
    private readonly long[] _outcomes = new long[Enum.GetValues<SendOutcome>().Length];
    private readonly Timeline _timeline = new();
    private long _origin;
    private long _dropped;
    private long _firstBegan = long.MaxValue;
    private long _lastCompleted;
    private LatencyHistogram? _window;
    private long _publishedAfterTicks;

    /// <summary>Operations whose completion was seen.</summary>
    public long Completed => Latency.Count;

    /// <summary>Completions seen before the operation was due.</summary>
    public long Early { get; private set; }

    /// <summary>From the first beginning to the last completion; zero without a completion.</summary>
    public TimeSpan Duration => Completed == 0 ? TimeSpan.Zero : Stopwatch.GetElapsedTime(_firstBegan, _lastCompleted);

    /// <summary>Beginning to completion.</summary>
    public LatencyHistogram Latency { get; } = new();

    /// <summary>
    /// Mean time from an operation's beginning to its publish, milliseconds; null if none was published.
    /// </summary>
    public double? PublishedAfterMs => SignalToFirstCompletion.Count == 0
        ? null
        : StopwatchTime.ToMilliseconds(_publishedAfterTicks) / SignalToFirstCompletion.Count;

    /// <summary>
    /// Mean time from an operation's beginning to its due time, milliseconds; null if none was published.
    /// </summary>
    public double? DueAfterMs => PublishedAfterMs + _dueAfter.TotalMilliseconds;

    /// <summary>Publish to completion.</summary>
    public LatencyHistogram SignalToFirstCompletion { get; } = new();

    /// <summary>Publish to the first idle moment after it.</summary>
    public LatencyHistogram SignalToCompletion { get; } = new();

    /// <summary>Due time to completion.</summary>
    public LatencyHistogram DueToCompletion { get; } = new();

    /// <summary>Last completion to idle, once for each idle moment that was awaited.</summary>
    public LatencyHistogram DrainToIdle { get; } = new();

    /// <summary>
    /// The series that shows whether the load had settled, in order of completion and in milliseconds: latency, or for
    /// operations of one batch, which wait for each other, the interval between completions.
    /// </summary>
    public CompletionSeries Series { get; } = new();

    /// <summary>Name of the values in <see cref="Series"/>.</summary>
    public string SeriesName => _shape == BatchShape.Together ? "interval between completions" : "latency";

    /// <summary>
    /// Number of operations that are over, by the outcome of the request that creates them. Safe to read at any time.
    /// </summary>
    public long Count(SendOutcome outcome) => Volatile.Read(ref _outcomes[(int)outcome]);

    /// <summary>
    /// The operations over time, from the beginning of the first one. Its sums equal the ledger: started, completed,
    /// refused and unknown operations; dropped ones are <paramref name="dropped"/> and those that were not sent.
    /// </summary>
    /// <param name="measured">The iterations of the operations.</param>
    /// <param name="dropped">Operations that no iteration began.</param>
    /// <param name="keepsHistograms">Whether each point keeps its full histogram, so that timelines can be added
    /// up.</param>
    public TimelineResult TimelineOf(ScenarioStats measured, long dropped, bool keepsHistograms = false)
    {
        var iterations = measured.Recorded;
        lock (_gate)
        {
            BeginTimelineAt(iterations?.Origin ?? 0);
            if (_dropped == 0 && dropped > 0)
            {
                _dropped = dropped;
                var rest = iterations is null ? dropped : _timeline.AddDropped(iterations, dropped);
                _timeline.At(_lastCompleted).Dropped += rest;
            }

            return _timeline.ToResult(iterations, measured.Samples, keepsHistograms);
        }
    }

    /// <summary>When the first operation began, in Stopwatch ticks; 0 before.</summary>
    internal long Origin => Volatile.Read(ref _origin);

    /// <summary>Sets the beginning of the first operation. Only the first call has an effect.</summary>
    internal void BeginAt(long ticks)
    {
        if (Volatile.Read(ref _origin) == 0)
        {
            Interlocked.CompareExchange(ref _origin, ticks, 0);
        }
    }

    /// <summary>Keeps latencies for <see cref="TakeWindowP95Ms"/> from now on.</summary>
    public void WatchWindows()
    {
        lock (_gate)
        {
            _window = new();
        }
    }

    /// <summary>p95 of the latencies since the last call, milliseconds; null if there were none.</summary>
    public double? TakeWindowP95Ms()
    {
        lock (_gate)
        {
            var taken = _window;
            _window = new();
            return taken is { Count: > 0 } ? taken.PercentileMs(95) : null;
        }
    }

    /// <summary>
    /// Adds an operation that is over. Call it roughly in order of completion, for <see cref="Series"/>.
    /// </summary>
    public void Add(Operation operation)
    {
        lock (_gate)
        {
            _firstBegan = Math.Min(_firstBegan, operation.BeganTicks);
            var completed = operation.CompletedTicks;
            // A completion proves that the request was accepted, even if its answer was lost.
            var outcome = completed is not null && operation.Outcome == SendOutcome.Unknown
                ? SendOutcome.Accepted
                : operation.Outcome;
            _outcomes[(int)outcome]++;
            AddToTimeline(operation, outcome, completed);
            if (completed is { } ticks)
            {
                AddCompleted(operation, ticks);
            }
        }
    }

    /// <summary>Adds an idle moment after the last completion.</summary>
    public void AddIdle(long ticks)
    {
        lock (_gate)
        {
            if (Completed > 0)
            {
                DrainToIdle.RecordStopwatchTicks(Math.Max(0, ticks - _lastCompleted));
            }
        }
    }

    private static long Ticks(TimeSpan span) => (long)(span.TotalSeconds * Stopwatch.Frequency);

    /// <summary>An end before its start counts as zero.</summary>
    private static void Record(LatencyHistogram histogram, long from, long to) =>
        histogram.RecordStopwatchTicks(Math.Max(0, to - from));

    private void AddCompleted(Operation operation, long completed)
    {
        AddToSeries(operation, completed);
        _lastCompleted = Math.Max(_lastCompleted, completed);
        Record(Latency, operation.BeganTicks, completed);
        _window?.RecordStopwatchTicks(Math.Max(0, completed - operation.BeganTicks));
        if (operation.PublishedTicks > 0)
        {
            AddSignalled(operation, completed);
        }
    }

    private void BeginTimelineAt(long otherwise)
    {
        if (_timeline.Origin == 0)
        {
            _timeline.Origin = _origin != 0 ? _origin : otherwise;
        }
    }

    private void AddToTimeline(Operation operation, SendOutcome outcome, long? completed)
    {
        BeginTimelineAt(operation.BeganTicks);
        var began = _timeline.At(operation.BeganTicks);
        switch (outcome)
        {
            case SendOutcome.NotSent:
                began.Dropped++;
                break;
            case SendOutcome.Accepted:
                began.Started++;
                break;
            case SendOutcome.Refused:
                began.Refused++;
                break;
            default:
                began.Unknown++;
                break;
        }

        if (completed is { } ticks)
        {
            Record(_timeline.At(ticks).Latency, operation.BeganTicks, ticks);
        }
        else if (outcome == SendOutcome.Accepted)
        {
            _timeline.At(operation.LostTicks ?? Stopwatch.GetTimestamp()).Failed++;
        }
    }

    private void AddToSeries(Operation operation, long completed)
    {
        if (_shape != BatchShape.Together)
        {
            Series.Add(Stopwatch.GetElapsedTime(operation.BeganTicks, completed).TotalMilliseconds);
        }
        else if (_lastCompleted > 0)
        {
            Series.Add(Stopwatch.GetElapsedTime(_lastCompleted, Math.Max(completed, _lastCompleted)).TotalMilliseconds);
        }
    }

    private void AddSignalled(Operation operation, long completed)
    {
        _publishedAfterTicks += operation.PublishedTicks - operation.BeganTicks;
        var due = operation.PublishedTicks + Ticks(_dueAfter);
        Record(SignalToFirstCompletion, operation.PublishedTicks, completed);
        Record(DueToCompletion, due, completed);
        if (_dueAfter > TimeSpan.Zero && completed < due - ClockTolerance)
        {
            Early++;
        }

        if (operation.IdleTicks > 0)
        {
            Record(SignalToCompletion, operation.PublishedTicks, operation.IdleTicks);
        }
    }
}
