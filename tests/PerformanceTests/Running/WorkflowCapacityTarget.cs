using Foundation;
using LoadTesting.Core.Analysis.Capacity;
using LoadTesting.Core.Load;
using LoadTesting.Core.Results;
using PerformanceTesting.Backends;
using PerformanceTesting.Backends.Collectors;
using PerformanceTesting.Subjects;
using PerformanceTests.Scenarios;

namespace PerformanceTests.Running;

/// <summary>
/// The service as a search for its capacity sees it. Each rung gets a service and a database of its own, so that it finds what every other found and not
/// what an overloaded one left behind.
/// </summary>
internal sealed class WorkflowCapacityTarget(
    ScenarioRunner scenarios, WorkflowScenario scenario, BackendProfile profile, HostingKind hosting, PostgresServer? server, RabbitMqServer? broker) : ICapacityTarget
{
    private const int WarmUpConcurrency = 16;

    private readonly List<string> _violations = [];

    /// <summary>What was lost, doubled or left over on any rung, overloaded ones included; empty when the service stayed correct.</summary>
    public IReadOnlyList<string> Violations => _violations;

    public Task<LoadStepResult> KeepAsync(int concurrency, TimeSpan window, CancellationToken cancellationToken) =>
        MeasureAsync(LoadStep.Keep(concurrency, window / 5, window), cancellationToken);

    public Task<LoadStepResult> OfferAsync(double ratePerSecond, TimeSpan window, CancellationToken cancellationToken) =>
        MeasureAsync(LoadStep.Offer(ratePerSecond, window / 5, window), cancellationToken);

    private async Task<LoadStepResult> MeasureAsync(LoadStep step, CancellationToken cancellationToken)
    {
        if (server is null)
        {
            return await MeasureAsync(null, step, cancellationToken);
        }

        var database = await server.CreateDatabaseAsync("capacity", cancellationToken);
        try
        {
            return await MeasureAsync(database, step, cancellationToken);
        }
        finally
        {
            await server.DropDatabaseAsync(database, CancellationToken.None);
        }
    }

    private async Task<LoadStepResult> MeasureAsync(string? database, LoadStep step, CancellationToken cancellationToken)
    {
        await using var subject = await scenarios.StartAsync(scenario, profile, database, hosting, broker, cancellationToken);
        await ScenarioRunner.RegisterAsync(scenario, subject, cancellationToken);
        await WarmUpAsync(subject, cancellationToken);
        await using var collector = database is null
            ? null
            : await PostgresCollector.StartAsync(PostgresCollector.ObserverOf(server!, database), database, waitForReports: false, cancellationToken);
        var wave = ScenarioRunner.WaveOf(scenario, subject, 0, TimeSpan.Zero);
        await using var resources = ResourceWatch.Start(subject.ProcessId, server);
        var rung = await step.MeasureAsync(scenario.Name, context => scenario.RunAsync(context, wave, subject), LoadOptions(), cancellationToken);
        await wave.SettleAsync(subject, cancellationToken);
        var seen = await resources.StopAsync();
        var counters = collector is null ? null : await collector.StopAsync(cancellationToken);
        var left = Violate(rung, subject, await subject.CountAsync(cancellationToken));
        return rung with { Failed = rung.Failed + left, Waits = counters?.Waits ?? [], Demands = ResourceDemands.Of(seen, counters, wave.Tally.Completed) };
    }

    /// <summary>
    /// In process, service and generator share a thread pool, and at some milliseconds of latency the wait for one of its threads is a quarter of it long before any
    /// limit. Below 10 ms lateness is therefore only part of the response time, which counts from the intended start, and so of p95.
    /// </summary>
    private LoadOptions LoadOptions()
    {
        var options = ScenarioRunner.OptionsOf(scenario, hosting);
        return hosting == HostingKind.InProcess ? options with { HealthLimits = options.HealthLimits with { LagFloorMs = 10 } } : options;
    }

    /// <summary>A new service runs code that was never compiled, on connections that were never opened; the rung's own warm-up only brings the load up.</summary>
    private async Task WarmUpAsync(WorkflowSubject subject, CancellationToken cancellationToken)
    {
        var wave = ScenarioRunner.WaveOf(scenario, subject, scenario.WarmUpOperations, TimeSpan.Zero);
        await ScenarioRunner.DriveAsync(scenario, subject, wave, [Simulation.IterationsForConstant(WarmUpConcurrency, scenario.WarmUpOperations)], cancellationToken);
        subject.Observer.BeginMeasuring(BootId.Current);
    }

    /// <summary>What an overload does not excuse. A request that was refused never became an operation.</summary>
    private long Violate(LoadStepResult rung, WorkflowSubject subject, SubjectCounts counts)
    {
        var seen = subject.Observer.Awaiter.Snapshot();
        (string What, long Count)[] violations = [("lost", seen.Lost), ("completed twice", seen.Duplicate), ("failed in the service", counts.Failed), ("not over when the service was idle", counts.Live)];
        var at = rung.OfferedPerSecond is { } rate ? $"{rate:0.#}/s" : $"{rung.Concurrency} at a time";
        _violations.AddRange(violations.Where(violation => violation.Count > 0).Select(violation => $"at {at} {violation.Count} operations were {violation.What}"));
        return violations.Sum(violation => violation.Count);
    }
}
