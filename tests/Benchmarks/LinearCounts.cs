namespace Benchmarks;

/// <summary>What the web service counted since it started.</summary>
/// <param name="Started">Starts committed.</param>
/// <param name="Completed">Instances completed.</param>
/// <param name="Live">Gauge: instances that are not over.</param>
/// <param name="Flushes">Commits of the engine.</param>
/// <param name="ProcessorTime">Processor time of the service.</param>
/// <param name="CompilationTime">How much of it went to the just-in-time compiler.</param>
internal sealed record LinearCounts(
    long Started, long Completed, long Live, long Flushes, TimeSpan ProcessorTime, TimeSpan CompilationTime)
{
    /// <summary>Processor time per operation since an earlier count, in microseconds.</summary>
    public double MicrosecondsEach(LinearCounts earlier, long operations) =>
        (ProcessorTime - earlier.ProcessorTime).TotalMicroseconds / operations;

    /// <exception cref="InvalidOperationException">Completions differ from answers: there is no rate.</exception>
    public void RequireCompleted(long acknowledged)
    {
        if (Started != acknowledged || Completed != acknowledged || Live != 0)
        {
            throw new InvalidOperationException($"{acknowledged} starts were answered with 201, "
                + $"but the service started {Started}, "
                + $"completed {Completed} and has {Live} left: the ledger does not balance, so there is no rate.");
        }
    }
}
