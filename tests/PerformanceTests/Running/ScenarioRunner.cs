using System.Text.Json;
using Foundation;
using IntegrationTests.Shared.Backends;
using LoadTesting.Core.Load;
using LoadTesting.Core.Load.Watches;
using LoadTesting.Core.Reporting;
using LoadTesting.Core.Results;
using Microsoft.Extensions.Logging.Abstractions;
using PerformanceTesting.Backends;
using PerformanceTesting.Backends.Collectors;
using PerformanceTesting.Backends.Mongo;
using PerformanceTesting.Hosting;
using PerformanceTesting.Measurement;
using PerformanceTesting.Subjects;
using PerformanceTests.Scenarios;
using Workflow.Abstractions.Notifications;
using Workflow.Engine;
using Workflow.Notifications.OracleAq;
using Workflow.Notifications.Redis;
using Workflow.Stores.Memory;
using Workflow.Stores.Oracle;
using Workflow.Stores.PostgreSql;
using Xunit;

namespace PerformanceTests.Running;

/// <summary>Runs a scenario on a profile and a hosting, writes its result, and tells xUnit the verdict.</summary>
public sealed class ScenarioRunner(BackendCatalog catalog, RunFixture run)
{
    private const int TopStatements = 20;
    private static readonly JsonSerializerOptions Readable = new(JsonSerializerDefaults.Web)
    {
        WriteIndented = true,
        NewLine = "\n",
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping, // A file, not a page: SQL stays readable.
    };

    /// <param name="scenario">What to run.</param>
    /// <param name="profile">On which backend.</param>
    /// <param name="hosting">In process, or over HTTP.</param>
    /// <param name="transport">What carries the events; what the environment says when null.</param>
    /// <param name="cancellationToken">Ends the run.</param>
    public async Task RunAsync(
        WorkflowScenario scenario, BackendProfile profile, HostingKind hosting, EventTransport? transport, CancellationToken cancellationToken)
    {
        await catalog.RequireOrSkipAsync(profile, cancellationToken);
        var broker = await run.BrokerAsync(catalog, transport, cancellationToken);
        var writer = await run.WriterAsync(catalog, profile, hosting, broker, cancellationToken);
        var engine = run.LoadEngine(writer, BrokerResult.NameOf(ScenarioReport.NameOf(scenario, profile, hosting), broker));
        var (result, counters) = await MeasureAsync(scenario, profile, hosting, broker, engine, cancellationToken);
        await ConcludeAsync(writer, result, counters, cancellationToken);
    }

    /// <summary>Writes a result, whatever the system under test, and tells xUnit its verdict.</summary>
    internal static async Task ConcludeAsync(
        ResultWriter writer, ScenarioResult result, CollectedCounters? counters, CancellationToken cancellationToken)
    {
        await writer.AddScenarioAsync(result, cancellationToken);
        if (counters?.Statements is { } statements)
        {
            await writer.WriteSnapshotAsync($"{result.Name}-statements.json", JsonSerializer.Serialize(statements.Take(TopStatements), Readable) + "\n", cancellationToken);
        }

        var summary = TerminalSummary.Of(result, writer.ReportPath);
        TestContext.Current.AddWarning(summary);
        Judge(result, summary);
    }

    private static void Judge(ScenarioResult result, string summary)
    {
        if (result.Verdict.Outcome == VerdictOutcome.Failed)
        {
            Assert.Fail(summary);
        }

        RequireConclusion(result.Verdict.Outcome != VerdictOutcome.Inconclusive, summary);
    }

    /// <summary>What says nothing about the system is skipped with its evidence, or fails where runs are strict.</summary>
    internal static void RequireConclusion(bool isConclusive, string summary)
    {
        if (!isConclusive)
        {
            Assert.SkipUnless(Environment.GetEnvironmentVariable("WORKFLOW_PERF_STRICT") is "1", summary);
            Assert.Fail(summary);
        }
    }

    private async Task<(ScenarioResult Result, CollectedCounters? Counters)> MeasureAsync(
        WorkflowScenario scenario, BackendProfile profile, HostingKind hosting, RabbitMqServer? broker, ILoadEngine? engine, CancellationToken cancellationToken)
    {
        var server = profile.IsPostgres ? await catalog.PostgresAsync(cancellationToken) : null;
        var oracle = profile.IsOracle ? await catalog.OracleAsync(cancellationToken) : null;
        var mongo = profile.IsMongo ? await catalog.MongoAsync(cancellationToken) : null;
        var database = server is not null ? await server.CreateDatabaseAsync("perf", cancellationToken)
            : oracle is not null ? await oracle.CreateUserAsync(cancellationToken)
            : mongo?.NewDatabase();
        await using var subject = await StartAsync(scenario, profile, database, hosting, broker, cancellationToken);
        var hashes = await RegisterAsync(scenario, subject, cancellationToken);
        await WarmUpAsync(scenario, subject, cancellationToken);
        subject.Observer.BeginMeasuring(BootId.Current);
        var injection = run.Variables.Injection;
        subject.Observer.Tells = injection?.Listener() ?? subject.Observer.Tells;
        await using var collector = server is null
            ? null
            : await PostgresCollector.StartAsync(PostgresCollector.ObserverOf(server, database!), database!, WaitsForReports(scenario), cancellationToken);
        var ofOracle = oracle is null ? null : await OracleCollector.StartAsync(oracle, cancellationToken);
        await using var ofMongo = mongo is null ? null : await MongoCollector.StartAsync(mongo, cancellationToken);
        await using var messages = broker is null ? null : await RabbitMqCollector.StartAsync(broker.MetricsAddress, cancellationToken);
        await using var redis = profile.HintsOverRedis ? await RedisCollector.StartAsync((await RedisAsync(cancellationToken)).ConnectionString, cancellationToken) : null;
        var wave = WaveOf(scenario, subject, scenario.Duration is null ? scenario.Operations : 0, scenario.DueAfter);
        await using var soak = scenario.Tier == TierNames.Soak
            ? await SoakWatch.StartAsync(subject, wave, scenario.Concurrency, server is null ? null : PostgresCollector.ObserverOf(server, database!), server is null ? null : database, cancellationToken)
            : null;
        var before = await subject.CountAsync(cancellationToken);
        var host = HostWatch.Start();
        await using var resources = ResourceWatch.Start(subject.ProcessId, (BackendServer?)server ?? (BackendServer?)oracle ?? mongo);
        var load = await DriveAsync(scenario, subject, wave, SimulationsOf(scenario), cancellationToken, engine);
        var seen = await resources.StopAsync();
        var taken = host.Read();
        var series = soak is null ? null : await soak.StopAsync();
        var after = await subject.CountAsync(cancellationToken);
        var counts = after.Since(before);
        var counters = collector is not null ? await collector.StopAsync(cancellationToken)
            : ofOracle is not null ? await ofOracle.StopAsync(cancellationToken)
            : ofMongo is not null ? await ofMongo.StopAsync(cancellationToken) : null;
        counters = redis is null ? counters : counters?.With(await redis.StopAsync(cancellationToken));
        var broken = await AuditAsync(subject, server is null ? null : database, cancellationToken);
        var validity = ValidityReport.Make(scenario, subject, load, wave, taken, series, counts, ConservationChecks.Of(before, after, broken));
        var result = ScenarioFindings.Add(ScenarioReport.Make(scenario, subject, load, wave, counts, counters, hashes, validity), scenario, load, seen, counters);
        result = result with { Injected = injection?.ToString() };
        return (messages is null ? result : BrokerResult.Of(result, [subject.Broker!, run.TransportAlone], await messages.StopAsync(cancellationToken)), counters);
    }

    /// <summary>After the collector's end: what is asked here is no part of the load.</summary>
    private static async Task<IReadOnlyDictionary<string, long>> AuditAsync(WorkflowSubject subject, string? database, CancellationToken cancellationToken) =>
        database is null
            ? StoreAudit.Count(await subject.ListLiveAsync(cancellationToken), await subject.ListOpenTasksAsync(cancellationToken), TimeProvider.System.GetUtcNow())
            : await StoreAudit.CountAsync(new() { ConnectionString = database }, cancellationToken);

    /// <summary>Twice eleven seconds of waiting are worth it only beside a run of full size; the others go without the counters that come late.</summary>
    private bool WaitsForReports(WorkflowScenario scenario) =>
        run.Variables.WaitsForCounters && (scenario.Duration is not null || run.Variables.Size == ScenarioSize.Xl);

    private static Task WarmUpAsync(WorkflowScenario scenario, WorkflowSubject subject, CancellationToken cancellationToken) =>
        DriveAsync(
            scenario, subject, WaveOf(scenario, subject, scenario.WarmUpOperations, TimeSpan.Zero), Iterations(scenario, scenario.WarmUpOperations), cancellationToken);

    private static LoadSimulation[] SimulationsOf(WorkflowScenario scenario) =>
        scenario.Duration is { } duration ? [Simulation.KeepConstant(scenario.Concurrency, duration)] : Iterations(scenario, scenario.Operations);

    /// <summary>The wave of a run; 0 operations where a time ends it and not a number.</summary>
    internal static Wave WaveOf(WorkflowScenario scenario, WorkflowSubject subject, int operations, TimeSpan dueAfter) =>
        new(subject.Observer.Awaiter, new WaveOptions
        {
            CompletionEvent = scenario.CompletionEvent,
            Size = operations,
            DueAfter = dueAfter,
            Timeout = scenario.CompletionTimeout,
            Shape = scenario.Shape,
        });

    /// <summary>Drives a load by the built-in engine or the one given, and waits until the service is idle.</summary>
    internal static Task<LoadResult> DriveAsync(
        WorkflowScenario scenario, WorkflowSubject subject, Wave wave, LoadSimulation[] load, CancellationToken cancellationToken, ILoadEngine? engine = null)
    {
        var props = Scenario.Create(scenario.Name, context => scenario.RunAsync(context, wave, subject)).WithLoadSimulations(load);
        var options = OptionsOf(scenario, subject.Hosting) with { WhenOver = () => wave.SettleAsync(subject, cancellationToken) };
        return new LoadRunner(engine: engine).RunAsync([props], options, cancellationToken);
    }

    /// <summary>Simulations follow one another: all operations' first iterations end before the first second one begins.</summary>
    private static LoadSimulation[] Iterations(WorkflowScenario scenario, int operations) =>
        [.. Enumerable.Repeat(Simulation.IterationsForConstant(scenario.Concurrency, operations), scenario.IterationsPerOperation)];

    /// <summary>Settings of the load runner: in the system's own process, the generator is judged by its lateness alone.</summary>
    internal static LoadOptions OptionsOf(WorkflowScenario scenario, HostingKind hosting) => new()
    {
        CompletionTimeout = scenario.CompletionTimeout,
        HealthLimits = hosting == HostingKind.InProcess ? GeneratorHealthLimits.ForSystemInSameProcess : new GeneratorHealthLimits(),
    };

    /// <summary>Registers the scenario's definitions, and gives their content hashes.</summary>
    internal static async Task<IReadOnlyList<string>> RegisterAsync(WorkflowScenario scenario, WorkflowSubject subject, CancellationToken cancellationToken)
    {
        var hashes = new List<string>();
        foreach (var name in scenario.Definitions)
        {
            var file = Path.Combine(RunFixture.Root, "fixtures", "definitions", name + ".json");
            hashes.Add(await subject.RegisterAsync(await File.ReadAllTextAsync(file, cancellationToken), cancellationToken));
        }

        return hashes;
    }

    /// <summary>Starts the system under test for a scenario.</summary>
    internal async Task<WorkflowSubject> StartAsync(
        WorkflowScenario scenario, BackendProfile profile, string? connectionString, HostingKind hosting, RabbitMqServer? broker, CancellationToken cancellationToken)
    {
        if (hosting == HostingKind.InProcess)
        {
            Workflow.Abstractions.Stores.IWorkflowStore store = connectionString is null ? new InMemoryStore()
                : profile.IsOracle ? new OracleStore(new() { ConnectionString = connectionString })
                : profile.IsMongo ? (await catalog.MongoAsync(cancellationToken)).CreateStore(connectionString)
                : new PostgresStore(new() { ConnectionString = connectionString });
            store = run.Variables.Injection?.Around(store, profile.IsPostgres ? connectionString : null) ?? store;
            INotifier? notifier = profile == BackendProfile.OracleAq ? new OracleAqNotifier(new() { ConnectionString = connectionString! })
                : profile.HintsOverRedis
                ? new RedisNotifier(new() { ConnectionString = (await RedisAsync(cancellationToken)).ConnectionString, Cluster = UniqueChannel() }, TimeProvider.System, NullLoggerFactory.Instance)
                : profile == BackendProfile.Mongo ? (await catalog.MongoAsync(cancellationToken)).CreateNotifier(connectionString!, scenario.SignalWorkers ?? new WorkflowEngineOptions().Lanes)
                : null;
            return await InProcessSubject.StartAsync(profile, store, scenario.SignalWorkers, scenario.Receivers, cancellationToken, broker: broker, notifier: notifier);
        }

        if (run.Variables.Injection is { } injection)
        {
            throw new ArgumentException($"{PerformanceVariables.InjectName} is '{injection}': it reaches an engine in this process only, not over HTTP. Leave it out here.");
        }

        var settings = new Dictionary<string, string> { ["SignalReceivers"] = string.Join(',', scenario.Receivers), ["WorkflowSignalDriver:Provider"] = profile.SignalDriver };
        if (profile.HintsOverRedis)
        {
            settings["ConnectionStrings:Redis"] = (await RedisAsync(cancellationToken)).ConnectionString;
            settings["WorkflowSignalDriver:ChannelPrefix"] = UniqueChannel();
        }

        return await HttpSubject.StartAsync(
            profile,
            new WebServiceOptions
            {
                Provider = profile.Backend,
                ConnectionString = connectionString,
                Lanes = scenario.SignalWorkers,
                Settings = settings,
            },
            cancellationToken,
            broker);
    }

    private Task<BackendServer> RedisAsync(CancellationToken cancellationToken) => catalog.ServerAsync(ServerKind.Redis, cancellationToken);

    private static string UniqueChannel() => $"perf-{Guid.NewGuid():N}";
}
