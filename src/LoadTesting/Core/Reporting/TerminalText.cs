using LoadTesting.Core.Reporting.Live;
using static LoadTesting.Core.Load.Invariant;

namespace LoadTesting.Core.Reporting;

/// <summary>
/// Every sentence about a run on the terminal: what it does, how it ended, what is left of a killed one. The summary of
/// results is in <see cref="TerminalSummary"/>, the help of a command with its options.
/// </summary>
internal static class TerminalText
{
    public const string OfIterations = "Throughput and latency are those of the iterations.";
    public const string OfOperations =
        "An operation has several iterations, so throughput and latency of operations are unknown.";

    private const string NameARun = "Name a run's directory, or the results directory that holds the runs.";

    // While it runs.
    public static string WaitsFor(string? others, string time) => $"waiting for {others} to end, {time} so far";

    public static string Stage(RunStage stage, string time) => stage switch
    {
        RunStage.Preparing => "preparing",
        RunStage.WarmingUp => "warming up",
        RunStage.Measuring => "measuring",
        RunStage.Settling => "settling",
        _ => "concluding",
    } + $" for {time}";

    // How it stands, for another process.
    public static string LastUpdate(TimeSpan ago, string results) =>
        $"its last update was {ProgressText.Span(ago.TotalSeconds)} ago, {results}";

    public static string InProgress(string results) => $"The run is in progress; {results}.";
    public static string Ended(string results) => $"The run has ended; {results}.";

    public static string Interrupted(string results) =>
        $"The run was interrupted, and its results are partial; {results}.";

    public static string Killed(int process, string results) =>
        Text($"The run was killed: process {process} is gone, and its results are partial; {results}.");

    public static string Gone(int process, string since) =>
        Text($"The run was killed: process {process} is gone; {since}.");

    public static string Restarted(string since) =>
        $"The run was killed: the machine has been restarted since; {since}.";

    public static string Hangs(int process, string since) =>
        Text($"The run hangs: process {process} exists, and {since}.");

    public static string Elsewhere(string machine, string since) =>
        $"The run is on another machine, {machine}, and may be gone: {since}.";

    // What is left of a killed run.
    public static string WasKilled(RunProgressSnapshot run) =>
        Text($"its process was killed after its last update at {run.UpdatedUtc:u}, ") + run switch
        {
            { Subject: null } => "between two scenarios",
            { Stage: RunStage.Measuring } => $"while it measured {run.Subject}",
            { Stage: RunStage.Settling or RunStage.Concluding } => $"before {run.Subject} had its verdict",
            _ => $"before the load of {run.Subject}",
        };

    public static string Counted(ScenarioProgress measured) =>
        Text($"After {measured.ElapsedSeconds:0} s {Quantity.Of(measured.Started, "iteration")} had started, ")
        + $"{Figures.Count(measured.Completed)} completed, {Figures.Count(measured.Failed)} failed; "
        + $"{Figures.Count(measured.InFlight)} were in flight, and {Figures.Count(measured.Dropped)} were dropped.";

    public static string Finished(string directory, string reason) =>
        $"{directory}: {reason}. Its measurements are kept and marked as partial.";

    public static string NotFinished(string directory, string problem) =>
        $"{directory}: it is unknown how the run ended, and its files are unchanged: {problem}";

    // A path that names no run.
    public static string NoProgressBeside(string path) =>
        $"{path}: has no {ProgressFile.FileName} beside it. {NameARun}";

    public static string NoSuchRun(string path) => $"{path}: does not exist. {NameARun}";

    public static string NoProgressIn(string path) =>
        $"{path}: has no {ProgressFile.FileName}, nor has a directory in it. A run writes one from its first scenario "
        + "on.";

    public static string NotProgress(string file) => $"{file}: is not the progress of a run.";
}
