namespace PerformanceTesting.Measurement;

/// <summary>
/// What is seen of the loads that warm a system up, apart from all that is measured. Used by one thread at a time.
/// </summary>
internal sealed class WarmUpLog
{
    private readonly Dictionary<string, WarmUpLoadResult> _scenarios = new(StringComparer.Ordinal);
    private readonly List<Func<(long Lost, long Duplicate)>> _events = [];
    private DateTimeOffset? _began;

    /// <summary>Adds a load that is over, with the operations of each of its scenarios.</summary>
    public void Add(LoadResult load, IReadOnlyList<OperationBatch> batches)
    {
        _began ??= load.StartedUtc;
        var later = (load.StartedUtc - _began.Value).TotalMilliseconds;
        foreach (var (stats, batch) in load.Scenarios.Zip(batches))
        {
            var one = new WarmUpLoadResult
            {
                Operations = Enum.GetValues<SendOutcome>().Sum(batch.Tally.Count),
                Completed = batch.Tally.Completed,
                Stalls = [
                    .. stats.Gaps.Concat(batch.GapsWhileSettling).Select(gap => gap with { AtMs = later + gap.AtMs })],
                Errors = stats.Errors,
            };
            _scenarios[stats.Name] = WarmUpLoadResult.SumOf([_scenarios.GetValueOrDefault(stats.Name), one])!;
        }
    }

    /// <summary>
    /// Adds the events of those loads. They are counted when they are asked for: a duplicate comes later than its
    /// event.
    /// </summary>
    public void Add(EventAwaiter awaiter) => Add(() =>
    {
        var seen = awaiter.Snapshot();
        return (seen.Lost, seen.Duplicate);
    });

    /// <inheritdoc cref="Add(EventAwaiter)"/>
    public void Add(Func<(long Lost, long Duplicate)> events) => _events.Add(events);

    /// <summary>
    /// The measured load after it says what an operation takes: a time without a completion that is no stall there was
    /// none before. Of a short warm-up most operations may have waited for the same stall.
    /// </summary>
    public void LeaveStalls(LoadResult measured)
    {
        foreach (var stats in measured.Scenarios)
        {
            if (_scenarios.TryGetValue(stats.Name, out var warmUp))
            {
                var shortest = stats.ShortestStall.TotalMilliseconds;
                _scenarios[stats.Name] =
                    warmUp with { Stalls = [.. warmUp.Stalls.Where(gap => gap.DurationMs >= shortest)] };
            }
        }
    }

    /// <summary>
    /// The warm-up of one scenario, without its events: they are counted for all scenarios together. Null without one.
    /// </summary>
    public WarmUpLoadResult? Of(string scenario) => _scenarios.GetValueOrDefault(scenario);

    /// <summary>
    /// The warm-up of all scenarios, with the events that have come until now; null where nothing warmed up.
    /// </summary>
    public WarmUpLoadResult? Total()
    {
        var counts = _events.ConvertAll(count => count());
        return WarmUpLoadResult.SumOf(_scenarios.Values) is { } sum
            ? sum with { Lost = counts.Sum(count => count.Lost), Duplicate = counts.Sum(count => count.Duplicate) }
            : null;
    }
}
