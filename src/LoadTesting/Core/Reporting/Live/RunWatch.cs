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
        var since = TerminalText.LastUpdate(quiet, results);
        return run.State switch
        {
            RunState.Ended => new(WatchState.Ended, TerminalText.Ended(results)),
            RunState.Interrupted => new(WatchState.Interrupted, TerminalText.Interrupted(results)),
            RunState.Killed => new(WatchState.Killed, TerminalText.Killed(run.Process.Id, results)),
            _ when run.Machine == machine && run.BootId != bootId =>
                new(WatchState.Killed, TerminalText.Restarted(since)),
            _ when run.Machine == machine && !isAlive(run.Process) =>
                new(WatchState.Killed, TerminalText.Gone(run.Process.Id, since)),
            _ when quiet > SilentAfter => new(WatchState.Silent, run.Machine == machine
                ? TerminalText.Hangs(run.Process.Id, since)
                : TerminalText.Elsewhere(run.Machine, since)),
            _ => new(WatchState.Running, TerminalText.InProgress(results)),
        };
    }
}
