namespace LoadTesting.Core.Load;

/// <summary>
/// The iterations of a scenario, recorded once and by the second: each processor fills a meter of its own for the second that runs, and the
/// meters of seconds that are over are added up beside the load. An iteration costs two comparisons for it.
/// </summary>
internal sealed class IterationLog
{
    private readonly StripeSet<IterationStripe> _stripes;
    private readonly Timeline _timeline = new();
    private readonly MeterStripe _total = new();
    private readonly StallFinder _stalls = new();
    private readonly DrainGate _inFlight;
    private readonly bool _hasSchedule;
    private readonly Lock _gate = new();
    private readonly SortedDictionary<long, MeterStripe> _intervals = [];
    private long _origin;
    private long _intervalStart;
    private long _intervalLength;

    internal IterationLog(bool hasSchedule, DrainGate inFlight)
    {
        (_hasSchedule, _inFlight) = (hasSchedule, inFlight);
        _stripes = new StripeSet<IterationStripe>(() => new IterationStripe(hasSchedule, inFlight));
    }

    /// <summary>When the first iteration was to start, in Stopwatch ticks; 0 before it is known.</summary>
    internal long Origin => Volatile.Read(ref _origin);

    /// <summary>The first iteration is to start at <paramref name="timestamp"/>; only the first call counts, and nothing runs before
    /// it.</summary>
    internal void BeginAt(long timestamp)
    {
        if (Origin != 0)
        {
            return;
        }

        // Several copies of an external engine may begin at once: none goes on before the others could record.
        lock (_gate)
        {
            if (_origin == 0)
            {
                _stalls.BeginAt(timestamp);
                _timeline.Origin = timestamp;
                _stripes.ForEach(stripe => stripe.Origin = timestamp);
                Volatile.Write(ref _origin, timestamp);
            }
        }
    }

    internal void Record(long start, long end, long seenEnd, long lagTicks, IResponse response)
    {
        using var stripe = _stripes.Enter();
        stripe.Value.Record(start, end, seenEnd, lagTicks, response);
    }

    /// <summary>Adds what ends up for intervals too, of so many Stopwatch ticks from <paramref name="start"/> on.</summary>
    internal void KeepIntervals(long start, long length) => (_intervalStart, _intervalLength) = (start, length);

    /// <summary>The seconds that began in the intervals before that one and were not taken yet.</summary>
    internal MeterStripe TakeInterval(long before)
    {
        var taken = new MeterStripe();
        lock (_gate)
        {
            foreach (var index in _intervals.Keys.TakeWhile(index => index < before).ToArray())
            {
                taken.Merge(_intervals[index]);
                _intervals.Remove(index);
            }
        }

        return taken;
    }

    /// <summary>Adds the seconds that are over; gives each with what was recorded in it, in order.</summary>
    internal IReadOnlyList<FinishedSecond> Collect(long now)
    {
        lock (_gate)
        {
            return Origin == 0 ? [] : Add((now - Origin) / Stopwatch.Frequency);
        }
    }

    /// <summary>Nothing is recorded any more. What is still running at <paramref name="now"/> never ended.</summary>
    internal MeterStripe Close(long now)
    {
        lock (_gate)
        {
            _stripes.ForEach(stripe => stripe.IsClosed = true);
            Add(long.MaxValue);
            if (_inFlight.Busy > 0 && Origin != 0)
            {
                _stalls.EndAt(now, _inFlight);
            }

            return _total;
        }
    }

    /// <summary>The timeline, with what the schedule and the copies know: what never started, and what never ended.</summary>
    internal Timeline Complete(ScheduleTally tally, long dropped, IEnumerable<long> unfinishedStarts)
    {
        lock (_gate)
        {
            _timeline.Origin = Origin == 0 ? tally.Start : Origin;
            _timeline.AddDropped(tally.Dropped, long.MaxValue);
            if (dropped > tally.DroppedInFlightLimit)
            {
                _timeline.At(tally.NextStart).Dropped += dropped - tally.DroppedInFlightLimit;
            }

            foreach (var start in unfinishedStarts)
            {
                _timeline.At(start).Started++;
            }

            return _timeline;
        }
    }

    /// <summary>The stalls of at least <paramref name="shortest"/> Stopwatch ticks, in order.</summary>
    internal IReadOnlyList<Stall> Stalls(long shortest) => _stalls.LongerThan(shortest);

    private List<FinishedSecond> Add(long before)
    {
        var parts = new List<SecondPart>();
        _stripes.ForEach(stripe => stripe.TakeBefore(before, parts));
        var finished = new List<FinishedSecond>();
        foreach (var second in parts.GroupBy(part => part.Index).OrderBy(group => group.Key))
        {
            var meter = new MeterStripe();
            foreach (var part in second)
            {
                meter.Merge(part.Meter);
                AddStarts(part);
            }

            foreach (var span in second.SelectMany(part => part.Spans).OrderBy(span => span.First))
            {
                _stalls.Add(span);
            }

            AddEnds(second.Key, meter);
            finished.Add(new FinishedSecond(second.Key, meter));
        }

        return finished;
    }

    private void AddStarts(SecondPart part)
    {
        var earlier = 0L;
        foreach (var (index, count) in part.StartedEarlier ?? [])
        {
            _timeline.At(At(index)).Started += count;
            earlier += count;
        }

        _timeline.At(At(part.Index)).Started += part.Meter.Ok.Count + part.Meter.Fail.Count - earlier;
    }

    private void AddEnds(long index, MeterStripe meter)
    {
        _total.Merge(meter);
        var slot = _timeline.At(At(index));
        slot.Latency.Merge(_hasSchedule ? meter.Ok.Response : meter.Ok.Service);
        slot.Lag.Merge(meter.ScheduleLag);
        slot.Failed += meter.Fail.Count;
        if (meter.Fail.Count > 0)
        {
            slot.AddErrors(meter.Fail.Errors().Select(error => KeyValuePair.Create(error.Name, error.Count)));
        }

        if (_intervalLength > 0)
        {
            var interval = Math.Max(0, At(index) - _intervalStart) / _intervalLength;
            if (!_intervals.TryGetValue(interval, out var sum))
            {
                _intervals[interval] = sum = new MeterStripe();
            }

            sum.Merge(meter);
        }
    }

    private long At(long second) => Origin + (second * Stopwatch.Frequency);
}

/// <summary>A second of a run that is over, and what was recorded in it.</summary>
/// <param name="Index">From 0.</param>
/// <param name="Meter">Its iterations.</param>
internal readonly record struct FinishedSecond(long Index, MeterStripe Meter)
{
    /// <param name="hasSchedule">Whether it is known when its iterations were to start.</param>
    internal LiveSecond ToLive(bool hasSchedule) => new(
        Index, hasSchedule ? Meter.Ok.Response : Meter.Ok.Service, Meter.ScheduleLag, Meter.Fail.Count,
        LoadCounts.ByCode(Meter.Fail.Count == 0 ? [] : Meter.Fail.Errors()));
}

/// <summary>What one processor recorded in one second.</summary>
/// <param name="Index">The second, from 0.</param>
/// <param name="Meter">The iterations that ended in it.</param>
/// <param name="StartedEarlier">How many of them started in seconds before it; null where none did.</param>
/// <param name="Spans">When iterations ended, without the times in between in which none did for long.</param>
internal sealed record SecondPart(long Index, MeterStripe Meter, Dictionary<long, long>? StartedEarlier, List<CompletionSpan> Spans);

/// <summary>What one processor records. Not safe for concurrent writers.</summary>
internal sealed class IterationStripe(bool hasSchedule, DrainGate inFlight)
{
    private readonly List<SecondPart> _finished = [];
    private MeterStripe _meter = new();
    private List<CompletionSpan> _spans = [];
    private Dictionary<long, long>? _startedEarlier;
    private long _index;
    private long _from;
    private long _until;
    private long _lastSeen;

    internal long Origin { get; set; }
    internal bool IsClosed { get; set; }

    internal void Record(long start, long end, long seenEnd, long lagTicks, IResponse response)
    {
        if (IsClosed)
        {
            return;
        }

        if (seenEnd >= _until)
        {
            Turn(seenEnd);
        }

        if (seenEnd - _lastSeen >= StallFinder.Shortest)
        {
            BeginSpan(seenEnd);
        }

        if (start < _from)
        {
            StartedBefore(start);
        }

        _lastSeen = Math.Max(_lastSeen, seenEnd);
        _meter.Record(start, end, lagTicks, hasSchedule, response);
    }

    /// <summary>Moves out the seconds before that one.</summary>
    internal void TakeBefore(long index, List<SecondPart> parts)
    {
        if (_index < index)
        {
            Finish();
            _until = 0;
        }

        parts.AddRange(_finished.Where(part => part.Index < index));
        _finished.RemoveAll(part => part.Index < index);
    }

    private void Turn(long now)
    {
        Finish();
        _index = Math.Max(0, (now - Origin) / Stopwatch.Frequency);
        _from = Origin + (_index * Stopwatch.Frequency);
        _until = _from + Stopwatch.Frequency;
        BeginSpan(now);
    }

    private void Finish()
    {
        if (_spans.Count == 0)
        {
            return;
        }

        EndSpan();
        _finished.Add(new SecondPart(_index, _meter, _startedEarlier, _spans));
        (_meter, _startedEarlier, _spans) = (new MeterStripe(), null, []);
    }

    private void BeginSpan(long now)
    {
        EndSpan();
        _spans.Add(new CompletionSpan(now, now, inFlight.BusySince, inFlight.Busy));
        _lastSeen = now;
    }

    private void EndSpan()
    {
        if (_spans.Count > 0)
        {
            _spans[^1] = _spans[^1] with { Last = _lastSeen };
        }
    }

    private void StartedBefore(long start)
    {
        var index = Math.Max(0, (start - Origin) / Stopwatch.Frequency);
        if (index < _index)
        {
            _startedEarlier ??= [];
            _startedEarlier[index] = _startedEarlier.GetValueOrDefault(index) + 1;
        }
    }
}
