using Foundation;

namespace LoadTesting.Core.Reporting.Live;

/// <summary>A run as seen from another process.</summary>
/// <param name="State">Its state.</param>
/// <param name="Sentence">The state as a sentence, with its evidence.</param>
public sealed record RunWatch(WatchState State, string Sentence)
{
    /// <summary>A run without an update for this time may be gone: ten times the interval of updates.</summary>
    public static TimeSpan SilentAfter { get; } = TimeSpan.FromSeconds(10);

    /// <param name="run">The last progress of the run.</param>
    /// <param name="nowUtc">The time here.</param>
    /// <param name="isAlive">Whether a process of this machine runs.</param>
    /// <param name="bootId">Its boot.</param>
    public static RunWatch Of(
        RunProgressSnapshot run, DateTimeOffset nowUtc, Func<ProcessOwner, bool> isAlive, string machine, string bootId)
    {
        var quiet = nowUtc - run.UpdatedUtc;
        var results = ProgressText.Results(run);
        var since = $"it was last heard of {ProgressText.Span(quiet.TotalSeconds)} ago, {results}";
        return run.State switch
        {
            RunState.Ended => new(WatchState.Ended, $"The run has ended; {results}."),
            RunState.Interrupted =>
                new(WatchState.Interrupted, $"The run was interrupted, and its results are partial; {results}."),
            RunState.Killed => new(
                WatchState.Killed, $"The run was killed: process {run.Process.Id} is gone, and its results are partial; {results}."),
            _ when run.Machine == machine && run.BootId != bootId =>
                new(WatchState.Killed, $"The run was killed: the machine has been restarted since; {since}."),
            _ when run.Machine == machine && !isAlive(run.Process) =>
                new(WatchState.Killed, $"The run was killed: process {run.Process.Id} is gone; {since}."),
            _ when quiet > SilentAfter => new(WatchState.Silent, run.Machine == machine
                ? $"The run hangs: process {run.Process.Id} is there, and {since}."
                : $"The run is on another machine, {run.Machine}, and may be gone: {since}."),
            _ => new(WatchState.Running, $"The run goes on; {results}."),
        };
    }
}
