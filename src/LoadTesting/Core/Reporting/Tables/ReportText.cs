namespace LoadTesting.Core.Reporting.Tables;

/// <summary>
/// Every sentence of the reports that belongs to no single figure, in the order of the page: notes, captions, what is
/// shown where nothing was recorded, and the words of the page.
/// </summary>
internal static class ReportText
{
    // The first screen, and the table of scenarios.
    public const string NoScenario = "No scenario has finished.";
    public const string OnlyLoadSteps = "Load steps were measured, without a verdict.";
    public const string NoErrors = "no operation failed, was lost or completed twice";
    public const string Sparklines =
        "Each from 0 to its maximum. A bar shows p50, p95 and maximum of a scenario that ended within a second.";
    public const string OpenScenario = "Open a scenario for its phases, strips, ledger, findings and counters";
    public const string NoBaseline = "No accepted baseline contains these scenarios.";
    public const string BesideBaseline =
        "One run beside one run on a comparable machine. A finding requires 200 operations and 5 s of load on each "
        + "side, and a difference larger than the scatter of both. It is a reason to repeat the run; wfperf gate "
        + "decides from interleaved pairs. Intervals (95 %) cover the operations of one run; runs differ by more.";

    // A scenario.
    public const string NoCommand = "No command was recorded for repeating this scenario.";
    public const string NoPhaseStarts = "The start of the phases was not recorded: each is drawn from 0.";
    public const string PhaseStarts =
        "Each bar begins at the average start of its phase; a phase with unknown start has no bar.";
    public const string ServerTime = "Server time by part, from the timestamps of its events";
    public const string NoTimeline = "Figures over time were not recorded.";
    public const string ShortTimeline = "The scenario ended within a second, so there is nothing to draw over time.";
    public const string NoLedger = "No ledger was kept.";
    public const string Ledger =
        "requested = dropped + refused + unknown + started; started = completed + failed + cancelled + deadLettered "
        + "+ waiting + suspended + stuck. Accounts that are not shown are 0.";
    public const string NoGenerator = "The health of the generator was not recorded.";
    public const string SharedPool = "The system under test shares the process and kept work waiting for a thread.";
    public const string NoWaits = "No waits were recorded.";
    public const string Ceilings =
        "Ceilings are measured in the same run. A share above 100 % means that operations share a commit.";
    public const string Checks =
        "A failed check makes the result invalid. A veto keeps the result out of baselines and comparisons: the "
        + "machine was not quiet.";
    public const string Findings =
        "The mean response time, divided among resources, stalls first. Bottleneck: an operation loses a "
        + "considerable share of the time there, without evidence against it. Ruled out: examined, with a small "
        + "share or with evidence against it. Time that was measured nowhere is unexplained.";
    public const string NoFinding = "No resource stands out.";

    // The run.
    public const string EverythingRan = "Everything that was asked for was run.";
    public const string NoFigure = "No scenario passed, so no figure is quoted.";
    public const string CeilingsByProfile = "Measured in the same run on the same machine.";
    public const string NotExercised = "Profiles that this run left out";
    public const string NotPossibleHere = "not possible on this machine";
    public const string OnlyCapacities = "The run searched for capacities only.";
    public const string Requests =
        "Times are those of single requests. If the load ramps up, RPS covers the time after the "
        + "ramp. Peaks are shares of all processors of the machine, in one interval of the timeline. Bytes include "
        + "heads and bodies, before encryption.";
    public const string NoReadableRun = "No run can be read.";

    // Runs side by side.
    public const string Capacities =
        "The limit lies within the bracket. The interval of a ratio follows from the ends of both brackets; one "
        + "that contains 1 shows no difference.";
    public const string Phases = "Phases overlap and do not add up to the whole operation.";
    public const string Ledgers = "Where every operation ended.";
    public const string Counters =
        "Compare only counters of the same product and source; the notes in each result file say how they were "
        + "counted.";
    public const string Differences =
        "These differences apply to every row; those of a single row are below it. Results that differ in machine, "
        + "durability, backend, content or load are not ranked.";

    // A gate's decision.
    public const string Gate =
        "Change: how much worse the candidate is. Detectable: the smallest change that four of five decisions by "
        + "these pairs would show; a stored baseline has none.";
    public const string DroppedPairs =
        "A pair is left out of the decision on times if the times of one side are not valid. Its faults and "
        + "counters still count.";

    // A history.
    public const string Changes =
        "Levels before and after are medians; p is that of a t-test. New: seen with the newest daily run only.";
    public const string ToWatch =
        "One of the two methods found it within the last ten daily runs. This is not an alarm; check the next daily "
        + "run.";
    public const string Levels =
        "Level is the median since the last change; newest is the last daily run that passed, a capacity with its "
        + "bracket.";
    public const string LeftOut = "The charts show these results; the levels do not include them.";
    public const string NoChange = "No level has changed.";
    public const string NoTrend = "No result passed: there is nothing to draw.";

    public static string Batches(int scenarios) =>
        $"{Quantity.Of(scenarios, "scenario")} {Quantity.Noun(scenarios, "runs", "run")} operations in batches: the "
        + "latency includes the wait for the rest of the batch, so read the rate.";

    public static string WithoutBaseline(int scenarios) =>
        $"{Quantity.Of(scenarios, "scenario")} {Quantity.Noun(scenarios, "has", "have")} no baseline.";

    public static string NotComparable(int scenarios, IEnumerable<string> differences) =>
        $"{Quantity.Of(scenarios, "scenario")} cannot be compared with "
        + $"{Quantity.Noun(scenarios, "its baseline", "their baselines")}: different {string.Join(", ", differences)}.";

    public static string Disturbed(int scenarios) =>
        $"The machine was not quiet during {Figures.Count(scenarios)} of the slower scenarios: repeat them.";

    public static string NoRanking(IEnumerable<string> profiles) =>
        $"The profiles are not ranked because their durability differs ({string.Join(", ", profiles)}).";

    /// <summary><c>not durable: fsync=off</c>, as results have it, in the middle of a sentence.</summary>
    public static string Durability(string durability) => durability.Split(": ", 2) is [var state, var why]
        ? $"{state} ({why})"
        : durability;

    public static string OlderRuns(int runs) =>
        $"Left out: {Quantity.Of(runs, "older run")}. wfperf history reads all runs that you name.";

    public static string Ratios { get; } = string.Create(
        CultureInfo.InvariantCulture,
        $"Ratios to the first column, from one run each: confirm a change with interleaved runs. Slower or faster "
            + $"means that both sides have {ComparisonVerdict.MinimumOperations} operations and "
            + $"{ComparisonVerdict.MinimumSeconds} s of load, and that two figures differ by more than their margins "
            + $"(±), the scatter of both runs.");

    /// <summary>The words of the page, as it explains them.</summary>
    public static IReadOnlyList<(string Word, string Meaning)> Terms { get; } =
    [
        ("failed, inconclusive",
            "Failed: operations were lost, duplicated or unaccounted for, or a threshold was missed. Inconclusive: the "
                + "measurement says nothing about the system, mostly because the generator was the limit."),
        ("n", "Operations behind a figure. Below 100 samples p99 is the maximum or close to it."),
        ("p50, p95, p99", "50 %, 95 % and 99 % of the operations were at least this fast."),
        ("rate", "Completed operations divided by the duration of the measured part."),
        ("open, closed",
            "Open: operations start on a schedule and latency counts from the intended start, so a stall shows in "
                + "full. Closed: the next operation starts when one ends, so a stall also reduces the load."),
        ("durability",
            "What a commit survives. Results of backends with different durability are not ranked."),
        ("schedule lag", "Time from the intended to the actual start of an operation: the delay of the generator."),
        ("stall",
            "Work was in flight and nothing completed for 250 ms or ten medians, whichever is longer. The cause is "
                + "the system if neither generator nor machine explains it."),
        ("pool delay", "Time that a work item waited for a thread of the generator's process."),
        ("ceiling",
            "The rate of the disk, the database or the HTTP server alone on this machine. Shares of a ceiling carry "
                + "over to other machines better than times."),
        (Figures.Absent, "Not measured or not applicable; run.json gives the reason."),
    ];
}
