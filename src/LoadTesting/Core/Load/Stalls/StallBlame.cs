namespace LoadTesting.Core.Load.Stalls;

/// <summary>Determines the cause of a stall from what else stood still at the time.</summary>
internal static class StallBlame
{
    /// <summary>
    /// The share of a stall that an explanation must cover to be its cause. A quarter leaves the cause in doubt.
    /// </summary>
    private const double Explained = 0.5;

    private const double InDoubt = 0.25;

    /// <summary>The share of the machine from which the run's own use explains why threads waited.</summary>
    private const double OwnLoad = 0.75;

    internal static StallCause Of(Stall stall, LoadSamples samples, bool isSystemInSameProcess)
    {
        var collector = samples.PausedShare(stall.From, stall.To, PauseKind.Collector);
        var ticker = samples.PausedShare(stall.From, stall.To, PauseKind.Process);
        var pool = isSystemInSameProcess ? 0 : samples.PausedShare(stall.From, stall.To, PauseKind.Pool);

        // A single reader that works without a break sees no completions meanwhile. A reader that is idle or busy now
        // and then keeps up and explains nothing. In the system's own process the system delivers events itself, so
        // their delay is the system's.
        var consumer = isSystemInSameProcess ? 0 : samples.LongestPauseShare(stall.From, stall.To, PauseKind.Consumer);

        // A machine that is busy with others explains a stall only if the run's own threads waited for a processor.
        var taken = (samples.StolenShare(stall.From, stall.To) ?? 0) + (samples.WaitedShare(stall.From, stall.To) ?? 0);
        var machine = Math.Max(ticker - collector, taken);
        if (machine >= InDoubt && samples.OwnShare(stall.From, stall.To) >= OwnLoad)
        {
            // The machine is busy with this run: in process that is the system, and over HTTP it is unknown whose
            // threads waited.
            machine = isSystemInSameProcess ? 0 : InDoubt;
        }

        if (machine >= Explained)
        {
            return StallCause.Machine;
        }

        // In one process a collector pause stops system and generator alike.
        var generator =
            Math.Max(Math.Max(pool, consumer), isSystemInSameProcess ? Math.Min(collector, InDoubt) : collector);
        return generator >= Explained ? StallCause.Generator
            : Math.Max(generator, machine) >= InDoubt || machine + generator >= Explained ? StallCause.Unknown
            : StallCause.System;
    }
}
