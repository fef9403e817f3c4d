namespace Benchmarks;

/// <summary>The log that a workflow writes that starts, becomes dormant, is woken and ends.</summary>
internal static class DormantLog
{
    public const string WithoutImages = "WAL per workflow with its eviction, without page images, bytes";
    private const string WithImages = "WAL per workflow with its eviction, page images included, bytes";
    private const int Workflows = 20_000;
    private const int InFlight = 256;
    private static readonly TimeSpan IdleTime = TimeSpan.FromSeconds(1);

    public static async Task MeasureAsync(
        BenchmarkContext context, Rounds rounds, CancellationToken cancellationToken)
    {
        await using var subject = await EngineUnderTest.StartAsync(
            context, [], cancellationToken, residency: new() { IdleTime = IdleTime });
        await RunAsync(subject, cancellationToken);
        for (var round = 0; round < context.Rounds; round++)
        {
            var before = await context.LogBytesAsync(cancellationToken);
            await RunAsync(subject, cancellationToken);
            var after = await context.LogBytesAsync(cancellationToken);
            var images = await context.LogImageBytesAsync(before, after, cancellationToken);
            rounds.Add(WithoutImages, (double)(after - before - images) / Workflows);
            rounds.Add(WithImages, (double)(after - before) / Workflows);
        }
    }

    private static async Task RunAsync(EngineUnderTest subject, CancellationToken cancellationToken)
    {
        var keys = new ConcurrentQueue<string>();
        var before = subject.Engine.Statistics;
        await ClosedLoop.RunCountAsync(
            InFlight, Workflows, async token =>
            {
                var key = Guid.CreateVersion7().ToString();
                await subject.Engine.StartAsync(EngineUnderTest.Start(key), token);
                keys.Enqueue(key);
            },
            cancellationToken);
        await subject.AllDormantAsync(cancellationToken);
        await ClosedLoop.RunCountAsync(
            InFlight, Workflows, async token => await subject.Engine.SignalAsync(
                EngineUnderTest.Resume(keys.TryDequeue(out var key) ? key : throw new UnreachableException()), token),
            cancellationToken);
        var after = subject.Engine.Statistics;
        var (completed, woken) = (after.Completed - before.Completed, after.Wakeups - before.Wakeups);
        if (completed != Workflows || woken != Workflows || after.LiveInstances != 0)
        {
            throw new InvalidOperationException($"Of {Workflows} workflows {woken} were woken and {completed} "
                + $"completed, {after.LiveInstances} are left: the ledger does not balance, so there is no figure.");
        }
    }
}
