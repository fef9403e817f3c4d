using System.Globalization;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>Holds a rung to the criteria of its ladder.</summary>
internal static class RungJudge
{
    /// <summary>The criteria of the open ladder in words.</summary>
    internal static IReadOnlyList<string> OpenCriteria(CapacityOptions options) =>
    [
        Text($"at least {100 * options.MinimumCompletedShare:0.#} % of the offered operations complete within the window"),
        Text($"the number in flight grows by at most {100 * options.MaximumGrowthShare:0.#} % of the offered rate (upper 95 % limit of its slope), or by no more than one over the window"),
        .. CommonCriteria(options),
    ];

    /// <summary>The criteria of the closed ladder in words.</summary>
    internal static IReadOnlyList<string> ClosedCriteria(CapacityOptions options) =>
    [
        Text($"twice the requests at a time bring at least {100 * options.MinimumGain:0.#} % more throughput, judged against the rung below"),
        .. CommonCriteria(options),
    ];

    /// <summary>The mean p95 of the two lowest rungs; null before there are two.</summary>
    internal static double? UnloadedP95(IReadOnlyList<RungResult> lowest) =>
        lowest.Count >= 2 && lowest[0].P95Ms is { } first && lowest[1].P95Ms is { } second ? (first + second) / 2 : null;

    internal static RungResult Open(RungResult rung, double? unloadedP95, CapacityOptions options)
    {
        var reasons = new List<string>();
        if (CompletesTooLittle(rung, options))
        {
            reasons.Add(Text($"{100 * rung.CompletedShare:0.0} % of the offered operations completed in the window, at least {100 * options.MinimumCompletedShare:0.#} % must"));
        }

        if (rung.InFlightGrowthPerSecond is not { } growth)
        {
            reasons.Add("the growth of what is in flight cannot be told from so short a window");
        }
        else if (Grows(rung, options))
        {
            reasons.Add(Text($"the number in flight grew by up to {growth:0.#} a second, {100 * growth / rung.OfferedPerSecond:0.0} % of the offered rate, at most {100 * options.MaximumGrowthShare:0.#} % may"));
        }

        return With(rung, [.. reasons, .. Common(rung, unloadedP95, options)]);
    }

    internal static RungResult Closed(RungResult rung, RungResult? below, double? unloadedP95, CapacityOptions options)
    {
        var reasons = new List<string>();
        if (below is { ThroughputPerSecond: > 0 } && rung.ThroughputPerSecond > 0)
        {
            var doublings = Math.Log2(rung.Concurrency!.Value / below.Concurrency!.Value);
            var gain = Math.Pow(rung.ThroughputPerSecond / below.ThroughputPerSecond, 1 / doublings) - 1;
            if (gain < options.MinimumGain)
            {
                reasons.Add(Text($"twice the requests at a time bring {100 * gain:0} % throughput over the rung below, at least {100 * options.MinimumGain:0.#} % are wanted"));
            }
        }

        return With(rung, [.. reasons, .. Common(rung, unloadedP95, options)]);
    }

    /// <summary>Whether an open rung was more than the system carries, and not only slow.</summary>
    internal static bool FallsBehind(RungResult rung, CapacityOptions options) => CompletesTooLittle(rung, options) || Grows(rung, options);

    private static bool CompletesTooLittle(RungResult rung, CapacityOptions options) => !(rung.CompletedShare >= options.MinimumCompletedShare);

    /// <summary>One more over the whole window is no growth, whatever its share of a small rate.</summary>
    private static bool Grows(RungResult rung, CapacityOptions options) =>
        rung.InFlightGrowthPerSecond is { } growth && growth > options.MaximumGrowthShare * rung.OfferedPerSecond && growth * rung.WindowMs > 1000;

    private static List<string> Common(RungResult rung, double? unloadedP95, CapacityOptions options)
    {
        var reasons = new List<string>();
        if (rung.Completed == 0)
        {
            reasons.Add("nothing completed");
        }

        if (rung.P95Ms > options.ObjectiveMs)
        {
            reasons.Add(Text($"p95 is {Figures.Ms(rung.P95Ms)} ms, the objective is {Figures.Ms(options.ObjectiveMs)} ms"));
        }

        if (rung.P95Ms > options.MaximumLatencyFactor * unloadedP95)
        {
            reasons.Add(Text($"p95 is {Figures.Ms(rung.P95Ms)} ms, more than {options.MaximumLatencyFactor:0.#} times the {Figures.Ms(unloadedP95)} ms of the two lowest rungs"));
        }

        if (rung.Failed > 0)
        {
            reasons.Add(Text($"{rung.Failed} operations failed or were left over"));
        }

        reasons.AddRange((rung.GeneratorEvidence ?? []).Select(evidence => "generator: " + evidence));
        return reasons;
    }

    private static string[] CommonCriteria(CapacityOptions options) =>
    [
        Text($"p95 is at most {options.MaximumLatencyFactor:0.#} times the mean p95 of the two lowest rungs")
            + (options.ObjectiveMs is { } objective ? Text($", and at most {Figures.Ms(objective)} ms") : ""),
        "nothing fails, is lost or left over",
        "the load generator is healthy",
    ];

    private static RungResult With(RungResult rung, IReadOnlyList<string> reasons) => rung with { Comfortable = reasons.Count == 0, Reasons = reasons };

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
