namespace LoadTesting.Core.Load.Recording;

/// <summary>The record of one processor. Not safe for concurrent writers.</summary>
internal sealed class IterationStripe(bool hasSchedule, DrainGate inFlight)
{
    private readonly List<SecondPart> _finished = [];
    private Meter _meter = new();
    private List<CompletionSpan> _spans = [];
    private Dictionary<long, long>? _startedEarlier;
    private long _index;
    private long _from;
    private long _until;
    private long _lastSeen;

    internal long Origin { get; set; }
    internal bool IsClosed { get; set; }

    /// <summary>Meters that were not taken yet.</summary>
    internal IEnumerable<Meter> Kept => _finished.Select(part => part.Meter).Append(_meter);

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

    /// <summary>Takes the seconds before the given one.</summary>
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
        (_meter, _startedEarlier, _spans) = (new Meter(), null, []);
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
