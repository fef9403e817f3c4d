using LoadTesting.Core.Analysis.Validity;
using LoadTesting.Core.Load.Events;
using Microsoft.Extensions.Logging.Abstractions;
using Workflow.Abstractions;
using Workflow.Engine;
using Workflow.Engine.Configuration;
using Workflow.Engine.InMemory;

namespace PerformanceTests.Calibration;

/// <summary>
/// Little's law between a real engine's gauge and a client: they agree where the client is honest, and not where its
/// events come late, its clock is wrong or it misses some.
/// </summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class TwoObserversTests
{
    private const int Operations = 1_000;
    private const string WaitForGo =
        """
        { "name": "waitForGo", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= id", "next": "done" }, "done": { "type": "end" } } }
        """;

    private static readonly TimeSpan Residence = TimeSpan.FromMilliseconds(300);

    [Fact]
    public Task Honest_client_agrees_with_the_service() => RealTime.HoldsAsync(async () =>
    {
        var (result, check) = await MeasureAsync(TimeSpan.Zero, honest => honest, Operations);

        Assert.True(check.Outcome == CheckOutcome.Passed, check.Reason);
        Assert.InRange(result.ServiceInFlight, 1, Operations);
    });

    [Fact]
    public Task Events_that_come_late_are_noticed() => RealTime.HoldsAsync(async () =>
    {
        var (_, check) = await MeasureAsync(lateness: Residence, honest => honest, Operations);

        Assert.True(check.Outcome == CheckOutcome.Failed, check.Reason);
    });

    [Fact]
    public Task Clock_that_runs_a_tenth_too_slow_is_noticed() => RealTime.HoldsAsync(async () =>
    {
        var origin = Stopwatch.GetTimestamp();
        var (_, check) = await MeasureAsync(TimeSpan.Zero, honest => origin + ((honest - origin) * 9 / 10), Operations);

        Assert.True(check.Outcome == CheckOutcome.Failed, check.Reason);
    });

    [Fact]
    public Task Completions_that_are_not_counted_are_noticed() => RealTime.HoldsAsync(async () =>
    {
        var (_, check) = await MeasureAsync(TimeSpan.Zero, honest => honest, counted: Operations * 9 / 10);

        Assert.True(check.Outcome == CheckOutcome.Failed, check.Reason);
    });

    /// <summary>
    /// Starts all, waits, signals all: each operation is in flight for a good <see cref="Residence"/>.
    /// </summary>
    /// <param name="lateness">How long after the consumer's callback the client hears of an event.</param>
    /// <param name="clock">What the client's clock shows for an honest timestamp.</param>
    /// <param name="counted">Operations that the client keeps account of.</param>
    private static async Task<(LittlesLawResult Result, CheckResult Check)> MeasureAsync(
        TimeSpan lateness, Func<long, long> clock, int counted)
    {
        using var awaiter = new EventAwaiter();
        await using var bus = await InMemoryEventBus.StartAsync((received, _) => Hear(received), Cancel);
        await using var engine = new WorkflowEngine(
            new InMemoryStore(), new WorkflowEngineOptions { Publishers = [bus.Publisher] }, TimeProvider.System,
            NullLoggerFactory.Instance);
        await engine.StartAsync(Cancel);
        await engine.RegisterDefinitionAsync(Encoding.UTF8.GetBytes(WaitForGo), Cancel);

        var began = new long[Operations];
        var waits = Enumerable.Range(0, Operations)
            .Select(i => awaiter.Register(nameof(InstanceCompleted), $"{i}", TimeSpan.FromMinutes(1))).ToArray();
        await Task.WhenAll(Enumerable.Range(0, Operations).Select(i =>
        {
            began[i] = clock(Stopwatch.GetTimestamp());
            return engine.StartAsync(
                new() { Definition = "waitForGo", CorrelationKey = $"{i}",
                    Input = Value.Parse($$"""{ "id": "{{i}}" }""") }, Cancel);
        }));
        await Task.Delay(Residence, Cancel);
        await Task.WhenAll(
            Enumerable.Range(0, Operations)
                .Select(i => engine.SignalAsync(new() { Name = "go", CorrelationKey = $"{i}" }, Cancel)));

        var latency = new LatencyHistogram();
        var last = 0L;
        for (var i = 0; i < Operations; i++)
        {
            var completed = clock((await waits[i].Arrival.WaitAsync(Cancel)).Timestamp);
            if (i < counted)
            {
                last = Math.Max(last, completed);
                latency.RecordStopwatchTicks(completed - began[i]);
            }
        }

        await engine.WaitForIdleAsync(Cancel);
        return LittlesLaw.Compare(
            engine.Statistics.InFlightSeconds + bus.TransitSeconds, latency.Count, latency.AverageMs,
            Stopwatch.GetElapsedTime(began.Min(), last));

        void Hear(IntegrationEvent received) => _ = HearAsync(received);

        async Task HearAsync(IntegrationEvent received)
        {
            await Task.Delay(lateness, Cancel);
            awaiter.Observe(received.Type, received.CorrelationKey!, Stopwatch.GetTimestamp());
        }
    }
}
