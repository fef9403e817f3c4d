using static LoadTesting.Core.Load.Invariant;

namespace LoadTesting.Core.Analysis.Gating;

/// <summary>Every sentence of a gate's decision: on the terminal, in <c>gate.json</c> and in <c>gate.md</c>.</summary>
internal static class GateText
{
    // The decision.
    public const string NothingCommon = "Nothing was gated: the two have no scenario in common.";
    public const string NothingGated =
        "Nothing was gated but correctness: no counter and no time of any scenario could be judged.";
    public const string OnlyInCandidate =
        "Only the candidate has this scenario, so there is nothing to compare it with.";
    public const string LeftOutByCandidate =
        "The candidate has no result of this scenario but has others of the same tier and profile.";
    public const string BaselineFailed = "the baseline's own run failed, is partial, or was made worse on purpose";

    // Counters and costs.
    public const string NoRule =
        "The counter depends on timing or has no class in this version, so it is reported and not gated.";
    public const string SharedByFew =
        "Operations share commits, and with so few operations the counter varies more than a regression would. Gate "
        + "at full size or by pairs.";
    public const string SharedElsewhere =
        "Operations share commits, and the number that share one depends on the machine. Gate by scenarios with one "
        + "operation at a time, or by pairs.";
    public const string CostOfAnotherMachine =
        "Processor time depends on the machine, and no baseline is from this one.";
    public const string UnclearCost = "Below full size a cost is gated only if the change is clear.";

    // Times.
    public const string OnlyAtFullSize = "Times are gated only at full size (-xl).";
    public const string NotMeasured = "Not measured on both sides.";
    public const string DecideByPairs = " Decide by pairs: wfperf gate --pairs.";
    public const string NoBaseline = "No baseline of this machine and runtime: counters only.";
    public const string NoLimits = "There are no two limits from this machine and runtime to compare.";
    public const string TooNoisy =
        "The machine is too noisy for this many pairs: record more pairs, or use another machine.";
    public const string SuspectGrowth =
        "The growth may be such a difference but exceeds 50 %: decide by pairs, or by more operations.";

    public static string TooFewGated(int ungated, int rows) =>
        Text($"{ungated} of {rows} scenarios cannot be gated, more than half. Measure at full size, or by pairs.");

    public static string MissingResults(int candidate, int reference, int pairs) =>
        Text($"The candidate left no result in {candidate} of {pairs} pairs, the base in {reference}: no increase is ")
        + "allowed. Gate scenarios that both sides have.";

    public static string Faults(long after, int runs, long before, int stored) =>
        Text($"{after} in {runs} runs of the candidate, {before} in {stored} of the baseline: no increase is allowed.");

    public static string Conflicts(
        long after, long operations, long before, long stored, double probability, double level, double ratio) =>
        Text($"{after} in {operations} operations, {before} in {stored} of the baseline: p = {probability:0.####}. ")
        + Text($"It regresses below {level} with more than {ratio} times as many.");

    public static string TooFew(long needed, string what) => Text($"There are fewer than {needed} {what}.");
    public static string MayGrow(string what, double share) => Text($"{what} may grow by {share:0 %}; ");

    public static string ByInterval(int runs, int days) =>
        Text($"By the 99.9 % prediction interval of {runs} stored runs of {days} days.");

    public static string WithoutInterval(int runs, int days, int neededRuns, int neededDays) =>
        Text($"{Quantity.Of(runs, "stored run")} of {Quantity.Of(days, "day")}; an interval needs {neededRuns} runs ")
        + Text($"of {neededDays} days, so 10 % worse is suspect.");

    public static string Missing(string side) =>
        $"The {side} did not count it, or counted it by another source; the notes of the result say why.";

    public static string Room(CounterRule rule) =>
        Text($"Class {rule.Class} may grow by {rule.Share:0 %} and {rule.PerOperation}");

    public static string NotRecorded(string side, IEnumerable<string> names) =>
        $"The candidate does not record what the {side} does: {string.Join(", ", names)}.";

    public static string TooFewPairs(int pairs, int all, string how, string remedy) =>
        Text($"{pairs} of {all} pairs {how}, and {PairJudge.MinimumPairs} are needed: {remedy}.");

    public static string TooFewSamples(long samples, TimeRule rule) =>
        Text($"The smallest run has {samples} samples; ten beyond {rule.Name} need {rule.MinimumSamples}.");

    public static string OneSided(int pairs, int candidate, int reference, double probability) =>
        Text($"This is not noise: of {pairs} pairs {candidate} are vetoed for the candidate alone and {reference} for ")
        + Text($"the base alone (p = {probability:0.#####}).");

    public static string WorseByAtLeast(double? share, double sure, double margin) =>
        Text($"Worse by at least {share:0.0 %} at {sure:0.## %}; the margin is {margin:0 %}.");

    public static string WorseByAtMost(double? share, double sure, double tolerance) =>
        Text($"Worse by at most {share:0.0 %} at {sure:0 %}; {tolerance:0 %} is tolerated.");

    public static string Between(
        double? low, double sure, double? high, double clear, double margin, double tolerance) =>
        Text($"Between {low:0.0 %} ({sure:0.## %}) and {high:0.0 %} ({clear:0 %}) worse, with margins of {margin:0 %} ")
        + Text($"and {tolerance:0 %}.");

    public static string Differences(
        double? estimate, CounterRule rule, GateVerdict verdict, double sure, double clear) =>
        Text($"The differences of the pairs are about {estimate:+0.####;-0.####;0} per operation. {Room(rule)}; they ")
        + verdict switch
        {
            GateVerdict.Regressed => Text($"exceed that at {sure:0.## %}."),
            GateVerdict.NotRegressed => Text($"are within that at {clear:0 %}."),
            _ => Text($"neither exceed that at {sure:0.## %} nor are within it at {clear:0 %}."),
        };

    public static string LimitLowerBy(double? least, double sure, double? most, double clear, double margin) =>
        Text($"Lower by at least {least:0.0 %} at {sure:0.## %}, by the nearest ends of the brackets, and by at most ")
        + Text($"{most:0.0 %} at {clear:0 %}, by their middles; the margins are {margin:0 %} and ")
        + Text($"{TimeRule.MaxMargin:0 %}.");

    public static string BesideStoredLimits(double high, int stored, double lowest) =>
        Text($"The upper end of the candidate's bracket is {high:0.##}/s, the lowest end of {stored} stored ones ")
        + Text($"{lowest:0.##}/s; a limit that is 10 % lower is suspect.");

    public static string Inconclusive(IEnumerable<string> reasons) =>
        $"The candidate's own run is inconclusive: {string.Join("; ", reasons)}";

    public static string Partial(string reason) => $"The candidate's run is partial: {reason}";

    public static string Refused(string reason) =>
        $"Refused: {reason}. Record a baseline under the conditions of the candidate.";

    public static string OnlyInBaseline(IEnumerable<string> names) =>
        $"Only in the baseline, and not gated: {string.Join(", ", names)}.";

    public static string NotComparable(IEnumerable<string> reasons) =>
        $"The sides are not comparable: {string.Join("; ", reasons)}.";

    public static string WorseOnPurpose(string injected) => $"the base was made worse on purpose ({injected})";

    public static string NoResult(string side, string? partial) =>
        $"{side}: no result{(partial is null ? "" : $", but a partial one: {partial}")}";

    public static string GeneratorBound(string side, IEnumerable<string> evidence) =>
        $"{side}: the generator was the limit: {string.Join("; ", evidence)}";

    public static string Stolen(string side, double? share, double limit) =>
        Text($"{side}: the hypervisor gave {share:0.0 %} of the processors to others; the limit is {limit:0.0 %}");

    public static string Spread(StoredNoise noise) =>
        noise.Runs > 0
        ? Text($"{noise.Runs} stored runs differ by {noise.PerOperation:0.####}.")
        : Text($"single runs may differ by {noise.PerOperation:0.####}.");
}
