using static LoadTesting.Core.Load.Invariant;

namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>Judges a load step by the criteria of its ladder.</summary>
internal static class LoadStepJudge
{
    /// <summary>Open: completed / offered in the window is at least this, 0 to 1.</summary>
    private const double MinimumCompletedShare = 0.98;

    /// <summary>
    /// Open: the number in flight grows, by the upper 95 % limit of its slope, by at most this share of the rate.
    /// </summary>
    private const double MaximumGrowthShare = 0.01;

    /// <summary>p95 is at most this many times the mean p95 of the two lowest load steps.</summary>
    private const double MaximumLatencyFactor = 2;

    /// <summary>Closed: the least throughput that doubling the requests at a time must add, as a share.</summary>
    private const double MinimumGain = 0.2;

    /// <summary>The criteria of the open ladder as sentences.</summary>
    internal static IReadOnlyList<string> OpenCriteria { get; } =
    [
        Text($"at least {100 * MinimumCompletedShare:0.#} % of the offered operations complete within the window"),
        Text($"the number in flight grows by at most {100 * MaximumGrowthShare:0.#} % of the offered rate (upper 95 % limit of its "
            + $"slope), or by no more than one over the window"),
        .. CommonCriteria,
    ];

    /// <summary>The criteria of the closed ladder as sentences.</summary>
    internal static IReadOnlyList<string> ClosedCriteria { get; } =
    [
        Text($"twice the requests at a time bring at least {100 * MinimumGain:0.#} % more throughput, judged against the "
            + $"load step below"),
        .. CommonCriteria,
    ];

    /// <summary>The mean p95 of the two lowest load steps; null before there are two.</summary>
    internal static double? UnloadedP95(IReadOnlyList<LoadStepResult> lowest) =>
        lowest.Count >= 2 && lowest[0].P95Ms is { } first && lowest[1].P95Ms is { } second
            ? (first + second) / 2 : null;

    internal static LoadStepResult Open(LoadStepResult step, double? unloadedP95)
    {
        var reasons = new List<string>();
        if (CompletesTooLittle(step))
        {
            reasons.Add(
                Text($"{100 * step.CompletedShare:0.0} % of the offered operations completed in the window, at least "
                + $"{100 * MinimumCompletedShare:0.#} % must"));
        }

        if (step.InFlightGrowthPerSecond is not { } growth)
        {
            reasons.Add("the window is too short to show the growth of what is in flight");
        }
        else if (Grows(step))
        {
            reasons.Add(
                Text($"the number in flight grew by up to {growth:0.#} a second, {100 * growth / step.OfferedPerSecond:0.0} % of "
                + $"the offered rate, at most {100 * MaximumGrowthShare:0.#} % may"));
        }

        return With(step, [.. reasons, .. Common(step, unloadedP95)]);
    }

    internal static LoadStepResult Closed(LoadStepResult step, LoadStepResult? below, double? unloadedP95)
    {
        var reasons = new List<string>();
        if (below is { ThroughputPerSecond: > 0 } && step.ThroughputPerSecond > 0)
        {
            var doublings = Math.Log2(step.Concurrency!.Value / below.Concurrency!.Value);
            var gain = Math.Pow(step.ThroughputPerSecond / below.ThroughputPerSecond, 1 / doublings) - 1;
            if (gain < MinimumGain)
            {
                reasons.Add(
                    Text($"twice the requests at a time bring {100 * gain:0} % throughput over the load step below, at least "
                    + $"{100 * MinimumGain:0.#} % are wanted"));
            }
        }

        return With(step, [.. reasons, .. Common(step, unloadedP95)]);
    }

    /// <summary>Whether an open load step was more than the system carries, and not only slow.</summary>
    internal static bool FallsBehind(LoadStepResult step) => CompletesTooLittle(step) || Grows(step);

    /// <summary>
    /// Whether the generator was the limit of a load step: something speaks against it, and the operations that it did
    /// begin ended as fast as they began.
    /// </summary>
    internal static bool IsGeneratorLimited(LoadStepResult step) =>
        step.GeneratorEvidence is { Count: > 0 } && !Grows(step, step.BegunGrowthPerSecond);

    private static bool CompletesTooLittle(LoadStepResult step) => !(step.CompletedShare >= MinimumCompletedShare);

    /// <summary>One more operation over the whole window does not count as growth, even if the rate is small.</summary>
    private static bool Grows(LoadStepResult step) => Grows(step, step.InFlightGrowthPerSecond);

    private static bool Grows(LoadStepResult step, double? perSecond) =>
        perSecond is { } growth && growth > MaximumGrowthShare * step.OfferedPerSecond
        && growth * step.WindowMs > 1000;

    private static List<string> Common(LoadStepResult step, double? unloadedP95)
    {
        var reasons = new List<string>();
        if (step.Completed == 0)
        {
            reasons.Add("nothing completed");
        }

        if (step.P95Ms > MaximumLatencyFactor * unloadedP95)
        {
            reasons.Add(Text($"p95 is {Figures.Ms(step.P95Ms)} ms, more than {MaximumLatencyFactor:0.#} times the "
                + $"{Figures.Ms(unloadedP95)} ms of the two lowest load steps"));
        }

        if (step.Failed > 0)
        {
            reasons.Add(
                Text($"{Quantity.Of(step.Failed, "operation")} failed or {Quantity.Noun(step.Failed, "was", "were")} left over"));
        }

        reasons.AddRange((step.Stalls ?? []).Select(TimelineText.Sentence));
        reasons.AddRange((step.GeneratorEvidence ?? []).Select(evidence => "generator: " + evidence));
        return reasons;
    }

    private static string[] CommonCriteria =>
    [
        Text($"p95 is at most {MaximumLatencyFactor:0.#} times the mean p95 of the two lowest load steps"),
        "nothing fails, is lost or left over",
        "there is no second without a completion while work is in flight, from the warm-up on",
        "the load generator is healthy",
    ];

    private static LoadStepResult With(LoadStepResult step, IReadOnlyList<string> reasons) =>
        step with { Comfortable = reasons.Count == 0, Reasons = reasons };
}
