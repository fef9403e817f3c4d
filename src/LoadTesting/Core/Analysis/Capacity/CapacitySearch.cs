namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>
/// Looks for the rate that a system carries: closed load steps say about where it lies, open load steps climb from a tenth of that by the
/// square root of 2 until one is under pressure, and the bracket between the last comfortable and the first that is not is halved. A load
/// step counts, good or bad, once two measurements of it agree. The method is that of a ladder with an open model: offered load does not
/// give way to a slow system, so what it cannot carry is seen.
/// </summary>
/// <param name="options">Settings.</param>
public sealed class CapacitySearch(CapacityOptions options)
{
    /// <param name="target">The system.</param>
    /// <param name="name">Full name of the ladder.</param>
    /// <param name="profile">Backend combination.</param>
    /// <param name="hosting">In process or over HTTP.</param>
    /// <param name="cancellationToken">Ends the search; what was measured is lost.</param>
    /// <exception cref="ArgumentException">An option is out of range; the message names each.</exception>
    public async Task<CapacityResult> RunAsync(
        ICapacityTarget target, string name, string profile, HostingKind hosting, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(target);
        options.ThrowIfInvalid();
        var closed = new List<LoadStepResult>();
        foreach (var concurrency in options.ClosedSteps.Order())
        {
            closed.Add(await target.KeepAsync(concurrency, options.Window, cancellationToken).ConfigureAwait(false));
        }

        var climb = new OpenClimb(target, options);
        var greatest = closed.Max(step => step.ThroughputPerSecond);

        // A build that is slower than it must be begins no lower for that.
        greatest = greatest > 0 ? Math.Max(greatest, options.LeastPerSecond ?? 0) : 0;
        var outcome = greatest > 0
            ? await climb.RunAsync(greatest * options.FirstShare, cancellationToken).ConfigureAwait(false)
            : CapacityOutcome.NothingComfortable;
        return new CapacityConclusion(options).Of(
            new CapacityResult { Name = name, Profile = profile, Hosting = hosting, Outcome = outcome, Sentence = "" }, closed,
            climb.Steps);
    }
}

/// <summary>
/// How a capacity is looked for, and what is comfortable. The defaults are those of the documentation; a result states those it used.
/// </summary>
public sealed record CapacityOptions
{
    /// <summary>What an operation is called in sentences, in the plural. Default "operations".</summary>
    public string Unit { get; init; } = "operations";

    /// <summary>
    /// Length of the measured part of a load step. Default 5 s; 30 s where the figures are to be kept. Longer where
    /// <see cref="MinimumOperations"/> needs it.
    /// </summary>
    public TimeSpan Window { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>An open load step offers at least this many operations. Default 300.</summary>
    public int MinimumOperations { get; init; } = 300;

    /// <summary>
    /// Requests at a time of the closed load steps that come first. The open ladder begins from their greatest throughput. Default 1, 2, 4 ..
    /// 64.
    /// </summary>
    public IReadOnlyList<int> ClosedSteps { get; init; } = [1, 2, 4, 8, 16, 32, 64];

    /// <summary>The first open load step as a share of the greatest closed throughput, over 0 and below 1. Default 0.1.</summary>
    public double FirstShare { get; init; } = 0.1;

    /// <summary>
    /// The rate that must be carried, per second: a limit that surely lies below it is a fault, whatever the build finds comfortable.
    /// Default null: none is known.
    /// </summary>
    public double? LeastPerSecond { get; init; }

    /// <summary>From one open load step to the next, over 1. Default the square root of 2.</summary>
    public double Step { get; init; } = Math.Sqrt(2);

    /// <summary>
    /// Open load steps at most before the search gives up below the limit. Default 14, which goes up to 9 times the greatest closed
    /// throughput.
    /// </summary>
    public int MaximumSteps { get; init; } = 14;

    /// <summary>What a capacity falls short of, as a sentence; null where it does not, or none was found.</summary>
    public string? ShortfallOf(CapacityResult result)
    {
        ArgumentNullException.ThrowIfNull(result);
        return result.Bracket?.High < LeastPerSecond
            ? $"the limit lies at {Figures.Rate(result.Bracket!.Low)} to {Figures.Rate(result.Bracket.High)} {Unit}/s, and "
                + $"{Figures.Rate(LeastPerSecond)}/s must be carried"
            : null;
    }

    /// <summary>Throws when a value is out of range, naming each.</summary>
    /// <exception cref="ArgumentException">At least one is.</exception>
    internal void ThrowIfInvalid()
    {
        var violations = new List<string>();
        Require(Window > TimeSpan.Zero, $"{nameof(Window)} is {Window}; it is longer than zero.");
        Require(MinimumOperations >= 1, $"{nameof(MinimumOperations)} is {MinimumOperations}; it is at least 1.");
        Require(ClosedSteps.Count > 0 && ClosedSteps.All(step => step >= 1),
            $"{nameof(ClosedSteps)} is [{string.Join(", ", ClosedSteps)}]; it holds at least one number, each at least 1.");
        Require(FirstShare is > 0 and < 1, $"{nameof(FirstShare)} is {FirstShare}; it lies between 0 and 1.");
        Require(LeastPerSecond is null or > 0, $"{nameof(LeastPerSecond)} is {LeastPerSecond}; it is over 0, or null for none.");
        Require(Step > 1 && double.IsFinite(Step), $"{nameof(Step)} is {Step}; it is over 1.");
        Require(MaximumSteps >= 3,
            $"{nameof(MaximumSteps)} is {MaximumSteps}; it is at least 3: two load steps set the latency that others are held to.");
        if (violations.Count > 0)
        {
            throw new ArgumentException(string.Join(Environment.NewLine, violations));
        }

        void Require(bool holds, string violation)
        {
            if (!holds)
            {
                violations.Add(violation);
            }
        }
    }
}

/// <summary>
/// A system whose capacity is looked for. Each call is one measurement that stands alone: nothing of an earlier one may be left over, and
/// none is under way when it returns. Calls never overlap. <see cref="LoadStep"/> measures; the target adds what it knows of its own
/// resources (<see cref="LoadStepResult.Demands"/>, <see cref="LoadStepResult.Waits"/>) and of operations that were lost. It does not
/// judge.
/// </summary>
public interface ICapacityTarget
{
    /// <summary>Closed load: keeps so many operations under way.</summary>
    /// <param name="concurrency">At least 1.</param>
    /// <param name="window">Length of the measured part.</param>
    Task<LoadStepResult> KeepAsync(int concurrency, TimeSpan window, CancellationToken cancellationToken);

    /// <summary>Open load: starts operations at a rate, whatever becomes of them.</summary>
    /// <param name="ratePerSecond">Over 0.</param>
    /// <param name="window">Length of the measured part.</param>
    Task<LoadStepResult> OfferAsync(double ratePerSecond, TimeSpan window, CancellationToken cancellationToken);
}

/// <summary>The open half of a search: the climb, and the halving of the bracket.</summary>
internal sealed class OpenClimb(ICapacityTarget target, CapacityOptions options)
{
    /// <summary>The bracket is halved until it reaches no further than this share to either side of its middle.</summary>
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
                    ? Without(measured)
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

    private CapacityOutcome Without(LoadStepResult pressure) => LoadStepJudge.IsGeneratorLimited(pressure)
        ? CapacityOutcome.GeneratorLimited
        : CapacityOutcome.NothingComfortable;

    /// <summary>Geometric halves: the bracket's ends are ratios apart, not differences.</summary>
    private async Task<CapacityOutcome> HalveAsync(LoadStepResult comfortable, LoadStepResult pressure, CancellationToken cancellationToken)
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
    /// Measures a rate until two measurements agree, three times at most: a lone good load step is as much a disturbance as a lone bad one.
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

/// <summary>Judges closed load steps. A load step that was repeated is judged by the repetition of median throughput.</summary>
internal static class ClosedLadder
{
    internal static LadderResult Judge(IReadOnlyList<LoadStepResult> measured)
    {
        var steps = new List<LoadStepResult>();
        foreach (var repetitions in measured.GroupBy(step => step.Concurrency!.Value).OrderBy(group => group.Key))
        {
            var median = repetitions.OrderBy(step => step.ThroughputPerSecond).ElementAt(repetitions.Count() / 2);
            steps.Add(LoadStepJudge.Closed(median, steps.LastOrDefault(), LoadStepJudge.UnloadedP95(steps)));
        }

        var comfortable = steps.TakeWhile(step => step.Comfortable).ToList();
        return new LadderResult
        {
            Criteria = LoadStepJudge.ClosedCriteria,
            Steps = steps,
            LastComfortable = comfortable.LastOrDefault()?.Concurrency,
            FirstPressure = steps.Skip(comfortable.Count).FirstOrDefault()?.Concurrency,
        };
    }
}
