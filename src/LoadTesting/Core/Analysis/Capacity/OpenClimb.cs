namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>The open half of a search: the climb, and the halving of the bracket.</summary>
internal sealed class OpenClimb(ICapacityTarget target, CapacityOptions options)
{
    /// <summary>
    /// The bracket is halved until it reaches no further than this share to either side of its middle.
    /// </summary>
    private const double BracketShare = 0.1;

    private readonly List<LoadStepResult> _steps = [];
    private readonly List<LoadStepResult> _lowest = [];

    /// <summary>Everything measured so far, in the order of measuring.</summary>
    internal IReadOnlyList<LoadStepResult> Steps => _steps;

    internal async Task<CapacityOutcome> RunAsync(double firstRate, CancellationToken cancellationToken)
    {
        LoadStepResult? comfortable = null;
        var rate = firstRate;
        for (var step = 0; step < options.MaximumSteps; step++, rate *= options.Step)
        {
            var measured = await MeasureAsync(rate, cancellationToken).ConfigureAwait(false);
            if (!measured.Comfortable)
            {
                return comfortable is null
                    ? OutcomeWithoutBracket(measured)
                    : await HalveAsync(comfortable, measured, cancellationToken).ConfigureAwait(false);
            }

            comfortable = measured;
            if (_lowest.Count < 2)
            {
                _lowest.Add(measured);
            }
        }

        return CapacityOutcome.NotReached;
    }

    private CapacityOutcome OutcomeWithoutBracket(LoadStepResult pressure) => LoadStepJudge.IsGeneratorLimited(pressure)
        ? CapacityOutcome.GeneratorLimited
        : CapacityOutcome.NothingComfortable;

    /// <summary>Geometric halves: the bracket's ends are ratios apart, not differences.</summary>
    private async Task<CapacityOutcome> HalveAsync(
        LoadStepResult comfortable, LoadStepResult pressure, CancellationToken cancellationToken)
    {
        var (low, high) = (comfortable.OfferedPerSecond!.Value, pressure.OfferedPerSecond!.Value);
        while (high > low * (1 + BracketShare) * (1 + BracketShare))
        {
            var middle = await MeasureAsync(Math.Sqrt(low * high), cancellationToken).ConfigureAwait(false);
            (low, high, pressure) = middle.Comfortable
                ? (middle.OfferedPerSecond!.Value, high, pressure)
                : (low, middle.OfferedPerSecond!.Value, middle);
        }

        return LoadStepJudge.IsGeneratorLimited(pressure) ? CapacityOutcome.GeneratorLimited : CapacityOutcome.Found;
    }

    /// <summary>
    /// Measures a rate until two measurements agree, three times at most: a single good result may be as accidental as
    /// a single bad one.
    /// </summary>
    private async Task<LoadStepResult> MeasureAsync(double rate, CancellationToken cancellationToken)
    {
        var needed = TimeSpan.FromSeconds(options.MinimumOperations / rate);
        var window = needed > options.Window ? needed : options.Window;
        var comfortable = 0;
        for (var attempt = 1; ; attempt++)
        {
            var measured = await target.OfferAsync(rate, window, cancellationToken).ConfigureAwait(false);
            var judged = LoadStepJudge.Open(measured with { Attempt = attempt }, LoadStepJudge.UnloadedP95(_lowest));
            _steps.Add(judged);
            comfortable += judged.Comfortable ? 1 : 0;
            if (comfortable == 2 || attempt - comfortable == 2)
            {
                return judged;
            }
        }
    }
}
