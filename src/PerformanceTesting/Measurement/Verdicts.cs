using LoadTesting.Core.Analysis.Statistics;
using LoadTesting.Core.Analysis.Validity;
using LoadTesting.Core.Reporting.Tables;
using static System.FormattableString;

namespace PerformanceTesting.Measurement;

/// <summary>A line of the table of verdicts.</summary>
/// <param name="What">What it is about, in words.</param>
/// <param name="Smoke">What it does in the smoke tier.</param>
/// <param name="Others">What it does in every other tier.</param>
public sealed record VerdictLine(VerdictRule Rule, string What, VerdictEffect Smoke, VerdictEffect Others);

/// <summary>
/// The one place that says which run passes: everything held against it falls under a line of the table.
/// </summary>
public static class Verdicts
{
    /// <summary>A p95 that grows over a soak, as <see cref="LeakTest"/> names its check.</summary>
    public const string LatencySlope = "p95Slope";

    /// <summary>A run that becomes slower from its beginning to its end.</summary>
    public const string Slowdown = "slowdown";

    private const int MostWindows = 60;
    private const double MostGrowth = 0.25;
    private static readonly TimeSpan LongEnough = TimeSpan.FromMinutes(1);
    private const double SlowdownConfidence = 0.999;

    public static IReadOnlyList<VerdictLine> Table { get; } =
    [
        new(VerdictRule.Account,
            "account unbalanced, lost, duplicate, unexpected, untracked or overflowed event, missing phase, limit on a "
                + "step that never ran, load ended early, service and client disagree; error, lost, duplicate or "
                + "incomplete operation of the warm-up",
            VerdictEffect.Failed, VerdictEffect.Failed),
        new(VerdictRule.CountThreshold, "threshold on counts or errors missed", VerdictEffect.Failed,
            VerdictEffect.Failed),
        new(VerdictRule.TimeThreshold, "threshold on times or rates missed", VerdictEffect.Reported,
            VerdictEffect.Failed),
        new(VerdictRule.TimeThresholdWithoutSamples, "threshold on times or rates with too few samples",
            VerdictEffect.Reported, VerdictEffect.Inconclusive),
        new(VerdictRule.LongStall, "stall of the system, 1 s or longer, in the load or its warm-up",
            VerdictEffect.Reported, VerdictEffect.Failed),
        new(VerdictRule.ShortStall, "stall of the system, shorter than 1 s", VerdictEffect.Reported,
            VerdictEffect.Inconclusive),
        new(VerdictRule.Disturbed,
            "stall (in the warm-up of 1 s or longer), lateness, pool delay or pauses of generator or machine, leak "
                + "that could not be looked for, Little's law where the generator is bound",
            VerdictEffect.Reported, VerdictEffect.Inconclusive),
        new(VerdictRule.Slower, "slower all along, slope of p95, Little's law, without host evidence",
            VerdictEffect.None, VerdictEffect.Failed),
        new(VerdictRule.SlowerOnBusyHost,
            "the same, with host evidence (steal, throttling, other load, pauses, a slower machine)",
            VerdictEffect.None, VerdictEffect.Inconclusive),
        new(VerdictRule.NotSettled, "no steady part, and not slower", VerdictEffect.None, VerdictEffect.Inconclusive),
        new(VerdictRule.Partial, "interrupted before its time", VerdictEffect.Inconclusive, VerdictEffect.Inconclusive),
        new(VerdictRule.Saturated,
            "times, lateness or steadiness of a closed load that saturates the machine by design, "
                + "and is not bound by its generator",
            VerdictEffect.Reported, VerdictEffect.Reported),
    ];

    /// <summary>
    /// The verdict on a run, with its reasons: the gravest first, and what did not decide it is said to be so.
    /// </summary>
    public static VerdictResult Judge(VerdictEvidence evidence)
    {
        var isSmoke = SmokeTier.Is(evidence.Tier);
        var found = Objections(evidence).Distinct()
            .Select(objection => (Line: Table.Single(line => line.Rule == objection.Rule), objection.Reason))
            .Select(objection => (Effect: isSmoke ? objection.Line.Smoke : objection.Line.Others, objection.Reason))
            .Where(objection => objection.Effect != VerdictEffect.None)
            .OrderByDescending(objection => objection.Effect)
            .ToArray();
        var worst = found.Length == 0 ? VerdictEffect.None : found[0].Effect;
        var outcome = worst switch
        {
            VerdictEffect.Failed => VerdictOutcome.Failed,
            VerdictEffect.Inconclusive => VerdictOutcome.Inconclusive,
            _ => VerdictOutcome.Passed,
        };
        return new(outcome, [.. found.Select(objection => Words(objection.Effect, worst) + objection.Reason)]);
    }

    /// <summary>
    /// Whether a series became slower from its beginning to its end: the slope of Theil and Sen over at most 60
    /// windows, which is not moved by a stall or two, is surely positive and adds more than a quarter. In less than a
    /// minute more is allowed: seconds after each other share what the machine does, so that its noise averages out
    /// with the root of the time only. Of twelve runs of 5 s, of one build on one machine, the growth scattered by 27
    /// %.
    /// </summary>
    /// <param name="series">Values in order of completion, at least <see cref="WarmUpCut.MinimumCompletions"/>.</param>
    /// <param name="what">What they are, e.g. <c>latency</c>.</param>
    /// <param name="duration">How long the run took, more than zero.</param>
    public static CheckResult SlowdownOf(CompletionSeries series, string what, TimeSpan duration)
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(duration, TimeSpan.Zero);
        var allowed = MostGrowth * Math.Sqrt(Math.Max(1, LongEnough / duration));
        double[] windows = [
            .. series.Means.Chunk((series.Means.Count + MostWindows - 1) / MostWindows)
                .Select(means => means.Average())];
        double[] places = [.. Enumerable.Range(0, windows.Length)];
        var line = TheilSen.Fit(places, windows, SlowdownConfidence);
        var start = Math.Max(line.At(0), windows.Min());
        var growth = line.Slope * places[^1] / start;
        var isSlower = line.Low > 0 && growth > allowed;
        return new CheckResult(
            Slowdown, CheckSubject.System, isSlower ? CheckOutcome.Failed : CheckOutcome.Passed, growth, allowed,
            Invariant($"{what} went from {start:0.###} ms by {100 * growth:0} % over the run, {100 * allowed:0} % allowed")
            + (isSlower ? ": slower all along (99.9 % sure)" : ""));
    }

    /// <summary>Whether a check is on the account, and not on how fast or how steady the system was.</summary>
    public static bool IsOfAccount(CheckResult check)
    {
        return check.Subject == CheckSubject.System
            && check.Name is not (WarmUpCut.CheckName or Slowdown or LittlesLaw.CheckName or LatencySlope);
    }

    private static string Words(VerdictEffect effect, VerdictEffect worst) =>
        effect == VerdictEffect.Reported ? "reported: " : effect == worst ? "" : "also in doubt: ";

    /// <summary>
    /// A closed load that is to saturate the machine says nothing about times, and nothing against its generator unless
    /// that is the limit. Account, errors and stalls decide as ever.
    /// </summary>
    private static IEnumerable<(VerdictRule Rule, string Reason)> Objections(VerdictEvidence evidence)
    {
        if (evidence.Saturation is not { } saturation)
        {
            return AllObjections(evidence);
        }

        var others = AllObjections(evidence with { Generator = [] }).Except(OfStalls(evidence)).Select(objection =>
            objection.Rule is VerdictRule.Account or VerdictRule.CountThreshold or VerdictRule.Partial
                ? objection
                : (VerdictRule.Saturated, objection.Reason));
        return
        [
            .. others,
            .. OfStalls(evidence),
            .. saturation.IsGeneratorBound
                ? [(VerdictRule.Disturbed, saturation.ToString())]
                : evidence.Generator.Select(reason => (VerdictRule.Saturated, $"machine saturated: {reason}")),
        ];
    }

    private static IEnumerable<(VerdictRule Rule, string Reason)> AllObjections(VerdictEvidence evidence) =>
    [
        .. OfAccount(evidence).Select(reason => (VerdictRule.Account, reason)),
        .. evidence.Partial is { } partial
            ? [(VerdictRule.Partial, $"partial: {partial}")] : Array.Empty<(VerdictRule, string)>(),
        .. evidence.Thresholds.Where(threshold => threshold.Outcome == ThresholdOutcome.Failed
                // Of an interrupted run it is known that there is too little of it.
                || (threshold.Outcome == ThresholdOutcome.NotEnoughSamples && evidence.Partial is null))
            .Select(threshold => (RuleOf(threshold), threshold.ToString())),
        .. OfStalls(evidence),
        .. evidence.Generator.Select(reason => (VerdictRule.Disturbed, reason)),
        .. evidence.Checks.Where(check => check.Outcome == CheckOutcome.Failed)
            .Select(check => OfCheck(check, evidence)),
    ];

    private static IEnumerable<string> OfAccount(VerdictEvidence evidence)
    {
        var ledger = evidence.Ledger;
        foreach (var violation in ledger.Violations())
        {
            yield return violation;
        }

        // What was begun when somebody ended the load may wait for a signal that never left.
        var due = ledger.Requested - (evidence.Partial is null ? 0 : ledger.Waiting + ledger.Suspended);
        if (ledger.Completed != due)
        {
            yield return $"{Quantity.Of(ledger.Completed, ledger.Requested, "operation")} completed";
        }

        foreach (var failure in evidence.Failures)
        {
            yield return failure;
        }

        if (evidence.StopReason is { } stopped && evidence.Partial is null)
        {
            yield return $"the load ended before its time: {stopped}";
        }

        if (evidence.MissingEvents is { } missing)
        {
            yield return missing;
        }

        foreach (var fault in evidence.Events is { } events ? OfEvents(events, evidence.EventsAreOrdered) : [])
        {
            yield return fault;
        }

        foreach (var fault in evidence.WarmUp is { } warmUp ? WarmUpText.Account(warmUp) : [])
        {
            yield return fault;
        }
    }

    private static IEnumerable<(VerdictRule Rule, string Reason)> OfStalls(VerdictEvidence evidence) =>
    [
        .. evidence.Stalls.Select(stall => (RuleOf(stall), TimelineText.Sentence(stall))),
        .. (evidence.WarmUp?.Stalls ?? []).Select(stall => (RuleOf(stall), WarmUpText.Sentence(stall))),
    ];

    private static IEnumerable<string> OfEvents(EventAwaiterCounts events, bool areOrdered)
    {
        if (events.Overflowed > 0)
        {
            yield return $"{Quantity.Of(events.Overflowed, "event")} could not be kept, so that duplicates and losses are not all counted";
        }

        if (events.Untracked > 0)
        {
            yield return $"{Quantity.Of(events.Untracked, "event")} of streams whose order is not tracked";
        }

        if (areOrdered && events.OutOfOrder > 0)
        {
            yield return $"{Quantity.Of(events.OutOfOrder, "event")} came out of the order that the transport promises";
        }
    }

    private static VerdictRule RuleOf(ThresholdResult threshold) => (threshold.Kind, threshold.Outcome) switch
    {
        (ThresholdKind.Counts, _) => VerdictRule.CountThreshold,
        (_, ThresholdOutcome.Failed) => VerdictRule.TimeThreshold,
        _ => VerdictRule.TimeThresholdWithoutSamples,
    };

    private static VerdictRule RuleOf(StallResult stall) => stall.Cause != StallCause.System ? VerdictRule.Disturbed
        : stall.DurationMs >= StallResult.LongMs ? VerdictRule.LongStall
        : VerdictRule.ShortStall;

    private static (VerdictRule Rule, string Reason) OfCheck(CheckResult check, VerdictEvidence evidence)
    {
        var reason = $"{check.Name}: {check.Reason}";
        return check.Name switch
        {
            WarmUpCut.CheckName => (VerdictRule.NotSettled, reason),
            _ when check.Subject == CheckSubject.Measurement => (VerdictRule.Disturbed, reason),
            _ when IsOfAccount(check) => (VerdictRule.Account, reason),
            LittlesLaw.CheckName when evidence.Generator.Count > 0 =>
                (VerdictRule.Disturbed, $"{reason}; the generator may explain it"),
            _ when evidence.Host.Count == 0 => (VerdictRule.Slower, reason),
            _ => (VerdictRule.SlowerOnBusyHost, $"{reason}; the machine may explain it: {string.Join("; ", evidence.Host)}"),
        };
    }
}
