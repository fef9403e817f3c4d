namespace LoadTesting.Core.Load.Recording;

/// <summary>
/// The ledger of a scenario's iterations: every iteration is recorded once. Each processor fills a meter for the
/// current second, and a background thread adds up the meters of seconds that are over. Cutting by second costs an
/// iteration two comparisons.
/// </summary>
internal sealed class IterationLog
{
    private readonly StripeSet<IterationStripe> _stripes;
    private readonly Timeline _timeline = new();
    private readonly Meter _total = new();
    private readonly StallFinder _stalls = new();
    private readonly DrainGate _inFlight;
    private readonly bool _hasSchedule;
    private readonly Lock _gate = new();
    private readonly SortedDictionary<long, Meter> _intervals = [];
    private long _origin;
    private long _intervalStart;
    private long _intervalLength;

    internal IterationLog(bool hasSchedule, DrainGate inFlight)
    {
        (_hasSchedule, _inFlight) = (hasSchedule, inFlight);
        _stripes = new StripeSet<IterationStripe>(() => new IterationStripe(hasSchedule, inFlight));
    }

    /// <summary>Intended start of the first iteration, in Stopwatch ticks; 0 before it is known.</summary>
    internal long Origin => Volatile.Read(ref _origin);

    /// <summary>Sets the origin. Only the first call has an effect; call it before the first iteration runs.</summary>
    internal void BeginAt(long timestamp)
    {
        if (Origin != 0)
        {
            return;
        }

        // Several copies of an external engine may begin at once: none may record before the origin is set.
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

    /// <summary>Also sums iterations by interval; start and length are in Stopwatch ticks.</summary>
    internal void KeepIntervals(long start, long length) => (_intervalStart, _intervalLength) = (start, length);

    /// <summary>The sum of the intervals before the given one that were not taken yet.</summary>
    internal Meter TakeInterval(long before)
    {
        var taken = new Meter();
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

    /// <summary>Adds up the seconds that are over and returns them in order.</summary>
    internal IReadOnlyList<LiveSecond> Collect(long now)
    {
        lock (_gate)
        {
            return Origin == 0 ? [] : Add((now - Origin) / Stopwatch.Frequency);
        }
    }

    /// <summary>Iterations that have ended by now, including the current second.</summary>
    internal (long Completed, long Failed) CountEnded()
    {
        lock (_gate)
        {
            var (completed, failed) = (_total.Ok.Count, _total.Fail.Count);
            _stripes.ForEach(stripe =>
            {
                foreach (var meter in stripe.Kept)
                {
                    completed += meter.Ok.Count;
                    failed += meter.Fail.Count;
                }
            });
            return (completed, failed);
        }
    }

    /// <summary>Stops recording and returns everything recorded. Iterations still running never end.</summary>
    internal Meter Close(long now)
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

    /// <summary>The timeline, completed by iterations that never started and iterations that never ended.</summary>
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

    /// <summary>Stalls of at least <paramref name="shortest"/> Stopwatch ticks, in order.</summary>
    internal IReadOnlyList<Stall> Stalls(long shortest) => _stalls.LongerThan(shortest);

    private List<LiveSecond> Add(long before)
    {
        var parts = new List<SecondPart>();
        _stripes.ForEach(stripe => stripe.TakeBefore(before, parts));
        var finished = new List<LiveSecond>();
        foreach (var second in parts.GroupBy(part => part.Index).OrderBy(group => group.Key))
        {
            var meter = new Meter();
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
            finished.Add(new LiveSecond(
                second.Key, _hasSchedule ? meter.Ok.Response : meter.Ok.Service, meter.ScheduleLag, meter.Fail.Count,
                LoadCounts.ByCode(meter.Fail.Count == 0 ? [] : meter.Fail.Errors())));
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

    private void AddEnds(long index, Meter meter)
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
                _intervals[interval] = sum = new Meter();
            }

            sum.Merge(meter);
        }
    }

    private long At(long second) => Origin + (second * Stopwatch.Frequency);
}
