using LoadTesting.Core.Load;
using LoadTesting.Core.Load.Watches;
using LoadTesting.Core.Results;
using Payments.Service.Configuration;
using Payments.Service.Stores;
using PerformanceTesting.Backends;
using PerformanceTesting.Backends.Collectors;
using PerformanceTesting.Measurement;
using PerformanceTests.Running;
using PerformanceTests.Scenarios;

namespace PerformanceTests.Payments;

/// <summary>Starts the service on a profile, warms it up, and measures a scenario.</summary>
internal static class PaymentMeasurement
{
    private const int WarmUpAtATime = 8;
    private static readonly TimeSpan DrainTimeout = TimeSpan.FromMinutes(2);

    /// <summary>A backlog is to be measured as it is, not made longer by events that are told again.</summary>
    private static readonly TimeSpan NoRepetition = TimeSpan.FromHours(1);

    private static readonly TimeSpan DuplicateWatch = TimeSpan.FromMilliseconds(20);

    /// <param name="scenario">What to measure.</param>
    /// <param name="catalog">Has the profile.</param>
    /// <param name="profile">Memory or PostgreSQL.</param>
    /// <param name="broker">Carries the events; null: the bus is within this process.</param>
    /// <param name="waitForReports">Whether to wait for the server's counters that come late.</param>
    /// <param name="cancellationToken">Ends the measurement.</param>
    /// <param name="engine">Starts the measured iterations and sends their requests; null for the built-in engine.</param>
    public static async Task<(ScenarioResult Result, CollectedCounters? Counters)> TakeAsync(
        PaymentScenario scenario,
        BackendCatalog catalog,
        BackendProfile profile,
        RabbitMqServer? broker,
        bool waitForReports,
        CancellationToken cancellationToken,
        ILoadEngine? engine = null)
    {
        var server = profile == BackendProfile.Memory ? null : await catalog.PostgresAsync(cancellationToken);
        var database = server is null ? null : await server.CreateDatabaseAsync("payments", cancellationToken);
        var settings = new PaymentSettings
        {
            ConnectionString = database,
            SettledMinDelay = scenario.SettledDelay.Min,
            SettledMaxDelay = scenario.SettledDelay.Max,
            RepeatAfter = NoRepetition,
        };
        await using var subject = await PaymentSubject.StartAsync(settings, broker, scenario.Awaited, cancellationToken);
        await WarmUpAsync(scenario, subject, cancellationToken);
        var before = await subject.CountAsync(cancellationToken);
        subject.Observer.BeginMeasuring();
        await using var collector = server is null
            ? null
            : await PostgresCollector.StartAsync(PostgresCollector.ObserverOf(server, database!), database!, waitForReports, cancellationToken);
        await using var messages = broker is null ? null : await RabbitMqCollector.StartAsync(broker.MetricsAddress, cancellationToken);
        var gauge = subject.InFlightSeconds;
        var watch = HostWatch.Start();
        await using var resources = ResourceWatch.Start(Environment.ProcessId, server);
        var (load, run) = await DriveAsync(scenario, subject, [scenario.Form.Load], engine, cancellationToken);
        var seen = await resources.StopAsync();
        var host = watch.Read();
        gauge = subject.InFlightSeconds - gauge;
        var counters = collector is null ? null : await collector.StopAsync(cancellationToken);
        var after = await subject.CountAsync(cancellationToken);
        var made = new PaymentCounts(after.All - before.All, after.Completed - before.Completed, after.Receipts - before.Receipts);
        var validity = PaymentValidity.Judge(scenario, load, run, made, gauge, host);
        var result = PaymentReport.Make(scenario, profile, load, run, subject.Observer, validity, seen, counters);
        return (messages is null ? result : BrokerResult.Of(result, [PaymentReport.OverBroker(settings)], await messages.StopAsync(cancellationToken)), counters);
    }

    /// <summary>Smoke judges no latency, and so no lateness of the generator either. At the seed's rates a p99 is one or two operations.</summary>
    private static GeneratorHealthLimits LimitsOf(PaymentForm form) => GeneratorHealthLimits.ForSystemInSameProcess with
    {
        MinimumSamplesInTail = 10,
        MaximumLagShareOfP50 = form.Tier == TierNames.Smoke ? null : GeneratorHealthLimits.ForSystemInSameProcess.MaximumLagShareOfP50,
    };

    /// <summary>So many at a time that a consumer which is made slow takes its delay once.</summary>
    private static Task WarmUpAsync(PaymentScenario scenario, PaymentSubject subject, CancellationToken cancellationToken)
    {
        var operations = scenario.Form.WarmUpOperations;
        var atATime = scenario.SettledDelay.Max > TimeSpan.Zero ? operations : Math.Min(WarmUpAtATime, operations);
        return DriveAsync(scenario, subject, [Simulation.IterationsForConstant(atATime, operations)], engine: null, cancellationToken);
    }

    private static async Task<(LoadResult Load, PaymentRun Run)> DriveAsync(
        PaymentScenario scenario, PaymentSubject subject, LoadSimulation[] load, ILoadEngine? engine, CancellationToken cancellationToken)
    {
        subject.Client.Engine = engine;
        var run = new PaymentRun(subject.Client, subject.Observer.Awaiter);
        var props = Scenario.Create(scenario.Form.Name, context => scenario.RunAsync(context, run)).WithLoadSimulations(load);
        var options = new LoadOptions { CompletionTimeout = scenario.EventTimeout, HealthLimits = LimitsOf(scenario.Form) };
        var result = await new LoadRunner(engine: engine).RunAsync([props], options, cancellationToken);

        // Until nothing is left to do, which the scenario itself need not wait for; a duplicate can only be seen by listening on for a moment.
        await subject.WaitForReceiptsAsync(scenario.CreatesPayments ? run.Accepted : 0, DrainTimeout, cancellationToken);
        await run.Awaiter.WaitForQuietAsync(DuplicateWatch, scenario.EventTimeout, cancellationToken);
        return (result, run);
    }
}
