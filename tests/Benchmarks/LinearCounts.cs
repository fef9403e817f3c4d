namespace Benchmarks;

/// <summary>What the web service counted since it started.</summary>
/// <param name="Started">Starts committed.</param>
/// <param name="Completed">Instances completed.</param>
/// <param name="Live">Gauge: instances that are not over.</param>
/// <param name="Flushes">Commits of the engine.</param>
internal sealed record LinearCounts(long Started, long Completed, long Live, long Flushes)
{
    /// <exception cref="InvalidOperationException">The service did not complete exactly what the client was told: then there is no rate.</exception>
    public void RequireCompleted(long acknowledged)
    {
        if (Started != acknowledged || Completed != acknowledged || Live != 0)
        {
            throw new InvalidOperationException($"{acknowledged} starts were answered with 201, but the service started {Started}, completed {Completed} and has {Live} left: the ledger does not balance, so there is no rate.");
        }
    }
}
