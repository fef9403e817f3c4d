using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>The open half of a search: the climb, and the halving of the bracket.</summary>
internal sealed class OpenClimb(ICapacityTarget target, CapacityOptions options)
{
    private readonly List<RungResult> _rungs = [];
    private readonly List<RungResult> _lowest = [];

    /// <summary>Everything measured so far, in the order of measuring.</summary>
    internal IReadOnlyList<RungResult> Rungs => _rungs;

    internal async Task<CapacityOutcome> RunAsync(double firstRate, CancellationToken cancellationToken)
    {
        RungResult? comfortable = null;
        var rate = firstRate;
        for (var rung = 0; rung < options.MaximumRungs; rung++, rate *= options.Step)
        {
            var measured = await MeasureAsync(rate, cancellationToken).ConfigureAwait(false);
            if (!measured.Comfortable)
            {
                return comfortable is null ? Without(measured) : await HalveAsync(comfortable, measured, cancellationToken).ConfigureAwait(false);
            }

            comfortable = measured;
            if (_lowest.Count < 2)
            {
                _lowest.Add(measured);
            }
        }

        return CapacityOutcome.NotReached;
    }

    private static CapacityOutcome Without(RungResult pressure) =>
        IsGeneratorLimited(pressure) ? CapacityOutcome.GeneratorLimited : CapacityOutcome.NothingComfortable;

    private static bool IsGeneratorLimited(RungResult rung) => rung.GeneratorEvidence is { Count: > 0 };

    /// <summary>Geometric halves: the bracket's ends are ratios apart, not differences.</summary>
    private async Task<CapacityOutcome> HalveAsync(RungResult comfortable, RungResult pressure, CancellationToken cancellationToken)
    {
        var (low, high) = (comfortable.OfferedPerSecond!.Value, pressure.OfferedPerSecond!.Value);
        while (high > low * (1 + options.BracketShare) * (1 + options.BracketShare))
        {
            var middle = await MeasureAsync(Math.Sqrt(low * high), cancellationToken).ConfigureAwait(false);
            (low, high, pressure) = middle.Comfortable ? (middle.OfferedPerSecond!.Value, high, pressure) : (low, middle.OfferedPerSecond!.Value, middle);
        }

        return IsGeneratorLimited(pressure) ? CapacityOutcome.GeneratorLimited : CapacityOutcome.Found;
    }

    /// <summary>Measures a rate, and once more when it is bad: a lone bad rung is a disturbance.</summary>
    private async Task<RungResult> MeasureAsync(double rate, CancellationToken cancellationToken)
    {
        var needed = TimeSpan.FromSeconds(options.MinimumOperations / rate);
        var window = needed > options.Window ? needed : options.Window;
        for (var attempt = 1; ; attempt++)
        {
            var measured = await target.OfferAsync(rate, window, cancellationToken).ConfigureAwait(false);
            var judged = RungJudge.Open(measured with { Attempt = attempt }, RungJudge.UnloadedP95(_lowest), options);
            _rungs.Add(judged);
            if (judged.Comfortable || attempt == 2)
            {
                return judged;
            }
        }
    }
}
