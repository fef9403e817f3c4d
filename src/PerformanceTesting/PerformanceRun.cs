using LoadTesting.Core.Analysis;
using LoadTesting.Core.Analysis.Capacity;
using LoadTesting.Core.Catalogue;
using LoadTesting.Core.Reporting;
using LoadTesting.Core.Reporting.Live;
using PerformanceTesting.Backends;
using PerformanceTesting.Backends.RabbitMq;
using PerformanceTesting.Subjects;
using PerformanceTesting.Subjects.Payments;
using PerformanceTesting.Subjects.Streams;

namespace PerformanceTesting;

/// <summary>A search for the capacity that was written, for the test that asked for it.</summary>
/// <param name="Summary">What was found, and the report's path, for the terminal.</param>
public sealed record CapacityReport(CapacityResult Result, string Summary);

/// <summary>
/// The run of one test process. Measures scenarios on backends of the catalogue, which it owns, and writes their
/// results to one directory. The caller decides whether they pass. One measurement at a time.
/// </summary>
public class PerformanceRun : RunSession
{
    private const string UsualResults = "TestResults/workflow-performance";
    private const double ShareOfBaseline = 0.8;

    private readonly RunCeilings _ceilings = new();

    /// <param name="catalog">Has the backends. Disposed with the run.</param>
    /// <param name="variables">What the environment asks for.</param>
    /// <param name="outputs">Show what the run does, in addition to a file in the directory of the results.</param>
    public PerformanceRun(
        BackendCatalog catalog, MeasurementVariables variables, IReadOnlyList<IProgressOutput> outputs)
        : base(variables.Metrics, outputs)
    {
        Catalog = catalog;
        Variables = variables;
        Injected = variables.Injection?.Name;
        EndsBesideWarmUp = true;
    }

    /// <summary>The backends and their servers.</summary>
    public BackendCatalog Catalog { get; }

    /// <summary>What the environment asks for.</summary>
    public MeasurementVariables Variables { get; }

    /// <summary>
    /// The directory of the results. Null (the default) for that of <c>WORKFLOW_PERF_RESULTS</c>, or <c>TestResults</c>
    /// of the checkout if the variable is not set.
    /// </summary>
    public string? ResultsDirectory { get; init; }

    /// <summary>
    /// Measures scenarios of the workflow service, which run at the same time. Writes a result for each, and their sum
    /// if there are several.
    /// </summary>
    /// <param name="scenarios">At least one.</param>
    /// <param name="profile">On which backend, which must be available.</param>
    /// <param name="hosting">In process, or over HTTP.</param>
    /// <param name="transport">Carries the events. Null for the transport that the environment asks for.</param>
    /// <param name="cancellationToken">
    /// Ends the load before its time: the result so far is written as a partial one. Before the load there is no
    /// result.
    /// </param>
    /// <returns>The only result, or the sum.</returns>
    public async Task<RunReport> MeasureAsync(
        IReadOnlyList<WorkflowScenario> scenarios, string profile, HostingKind hosting, EventTransport? transport,
        CancellationToken cancellationToken)
    {
        var broker = await FindBrokerAsync(transport, cancellationToken);
        var name = NameOf(scenarios[0].Name, profile, hosting, broker);
        var (backend, writer) = await PrepareAsync(name, profile, hosting, broker, cancellationToken);
        var journal = scenarios is [{ Tier: TierNames.Soak, Duration: { } planned }]
            ? Journal(writer, name, planned)
            : null;
        var arrangement = Arrangement(scenarios, backend, hosting, broker) with
        {
            Journal = journal,
            // Waiting twice for eleven seconds pays only in a long run. Others go without the counters that come late.
            WaitsForReports = Variables.WaitsForCounters
                && (scenarios.Any(s => s.Duration >= TimeSpan.FromMinutes(1)) || Variables.Size == ScenarioSize.Xl),
            Leaks = scenarios is [{ Tier: TierNames.Soak }] ? new LeakRules() : null,
        };
        return await MeasureAsync(arrangement.ArrangeAsync, LoadEngine(writer, name), cancellationToken);
    }

    /// <summary>
    /// Measures a part of a load of workflow scenarios on a service that already runs. Writes the result without a
    /// verdict.
    /// </summary>
    /// <param name="scenarios">At least one.</param>
    /// <param name="profile">The profile of the service's backend.</param>
    /// <param name="part">Which part, and where the service is.</param>
    /// <param name="build">Identity of the assembly that holds the scenarios.</param>
    /// <exception cref="ArgumentException">
    /// The load cannot be divided this way; the message says what to change.
    /// </exception>
    public async Task<RunReport> MeasurePartAsync(
        IReadOnlyList<WorkflowScenario> scenarios, string profile, HostingKind hosting, CataloguePart part, Guid build,
        CancellationToken cancellationToken)
    {
        var whyNot = scenarios
            .Select(scenario => PartArrangement.DivisionUnsupportedReason(scenario, hosting, part.Part.Of))
            .OfType<string>()
            .Append(Variables.LoadEngine is null
                ? null
                : $"{MeasurementVariables.LoadEngineName} is set, and parts are driven by the built-in engine: "
                    + "unset it.")
            .Append(Variables.Injection is { IsInStore: true } injection
                ? WorkflowArrangement.InProcessOnlyReason(injection)
                : null)
            .FirstOrDefault(reason => reason is not null);
        if (whyNot is not null)
        {
            throw new ArgumentException(whyNot);
        }

        Progress.Enter(RunStage.Preparing, NameOf(scenarios[0].Name, profile, hosting, broker: null));
        var writer = await OpenAsync(ResultsDirectory, Checkout.Root, UsualResults, cancellationToken);
        var external = new BackendInfo
        {
            Provision = "external", Notes = ["Null: the backend of an existing service is not queried."],
        };
        await writer.SetBackendAsync(profile, external, cancellationToken);
        var arrangement = new PartArrangement(scenarios, profile, part)
        {
            Build = $"{build}", Injection = Variables.Injection,
        };
        return await MeasureAsync(arrangement.ArrangeAsync, engine: null, cancellationToken);
    }

    /// <summary>Measures a payment scenario, and writes its result.</summary>
    internal async Task<RunReport> MeasureAsync(
        PaymentScenario scenario, string profile, EventTransport? transport, CancellationToken cancellationToken)
    {
        var broker = await FindBrokerAsync(transport, cancellationToken);
        var name = NameOf(scenario.Variant.Name, profile, HostingKind.InProcess, broker);
        var (backend, writer) = await PrepareAsync(name, profile, HostingKind.InProcess, broker, cancellationToken);
        var engine = LoadEngine(writer, name);
        var arrangement = new PaymentArrangement
        {
            Scenario = scenario,
            Backend = backend,
            Broker = broker,
            WaitsForReports = Variables.WaitsForCounters && Variables.Size == ScenarioSize.Xl,
            Engine = engine,
        };
        return await MeasureAsync(arrangement.ArrangeAsync, engine, cancellationToken);
    }

    /// <summary>Measures a scenario with event streams, over HTTP, and writes its result.</summary>
    /// <exception cref="InvalidOperationException">
    /// The operating system does not allow this many streams; the message says how to raise the limit.
    /// </exception>
    public async Task<RunReport> MeasureAsync(
        StreamScenario scenario, string profile, CancellationToken cancellationToken)
    {
        var name = NameOf(scenario.Name, profile, HostingKind.Http, broker: null);
        var (backend, writer) = await PrepareAsync(name, profile, HostingKind.Http, broker: null, cancellationToken);
        var journal = scenario is { Tier: TierNames.Soak, Duration: { } planned }
            ? Journal(writer, name, planned)
            : null;
        var arrangement = new StreamArrangement
        {
            Scenario = scenario,
            Backend = backend,
            Journal = journal,
        };
        return await MeasureAsync(arrangement.ArrangeAsync, engine: null, cancellationToken);
    }

    /// <summary>Searches for the capacity of a backend under a scenario, and writes the result.</summary>
    public async Task<CapacityReport> SearchAsync(
        WorkflowScenario scenario, string profile, HostingKind hosting, CancellationToken cancellationToken)
    {
        var broker = await FindBrokerAsync(transport: null, cancellationToken);
        var name = NameOf(scenario.Name, profile, hosting, broker);
        var (backend, writer) = await PrepareAsync(name, profile, hosting, broker, cancellationToken);
        await EndListeningAsync(TimeSpan.Zero, cancellationToken);
        var arrangement = Arrangement([scenario], backend, hosting, broker);
        var target = new CapacityTarget(async token => Follow(await arrangement.ArrangeAsync(token)));
        var leastOfBaseline = await LeastOfBaselineAsync(name, writer.Run.Environment.MachineClass, cancellationToken);
        var options = new CapacityOptions
        {
            Unit = "workflows",
            Window = Variables.LoadStep,
            LeastPerSecond = Math.Max(scenario.LeastCapacityPerSecond, leastOfBaseline),
        };
        var result = await new CapacitySearch(options).RunAsync(target, name, profile, hosting, cancellationToken);
        string[] shortfall = options.ShortfallOf(result) is { } missing ? [missing] : [];
        result = result with { Violations = [.. target.Violations, .. shortfall] };
        await writer.AddCapacityAsync(result, cancellationToken);
        Progress.Add(writer.Run);
        return new CapacityReport(
            result,
            $"{name}: {result.Sentence}{Environment.NewLine}  "
                + string.Create(CultureInfo.InvariantCulture, $"{options.LeastPerSecond:N0}/s must be carried")
                + (leastOfBaseline > 0 ? "" : ", since no baseline of this class of machines has a rate that was")
                + $"{Environment.NewLine}  report: {writer.ReportPath}");
    }

    public override async ValueTask DisposeAsync()
    {
        try
        {
            await base.DisposeAsync();
        }
        finally
        {
            await Catalog.DisposeAsync();
            GC.SuppressFinalize(this);
        }
    }

    /// <summary>
    /// Four fifths of the rate that the search of this name found in the newest baseline of this machine class. 0
    /// without a baseline.
    /// </summary>
    private static async Task<double> LeastOfBaselineAsync(
        string name, string? machineClass, CancellationToken cancellationToken)
    {
        var baselines = await BaselineStore.ReadAsync(
            Environment.GetEnvironmentVariable(BaselineStore.Variable), Checkout.Root, machineClass, cancellationToken);
        var carried = baselines.SelectMany(run => run.Capacity).Where(capacity => capacity.Name == name)
            .Select(capacity => capacity.Open?.LastComfortable).LastOrDefault(rate => rate is not null);
        return (carried ?? 0) * ShareOfBaseline;
    }

    private static string NameOf(string scenario, string profile, HostingKind hosting, RabbitMqServer? broker) =>
        MeasuredScenario.NameOf(scenario, profile, hosting, broker is null ? null : WorkflowSubject.BrokerTransport);

    /// <summary>
    /// The journal of a soak with a duration. It outlives the runs, so it is kept beside their directories.
    /// </summary>
    private SoakJournal Journal(ResultWriter writer, string name, TimeSpan planned)
    {
        var directory = Path.Combine(Path.GetDirectoryName(writer.DirectoryPath)!, "soak");
        return SoakJournal.Open(directory, name, writer.Run.Commit, planned, Variables.Resumes);
    }

    private WorkflowArrangement Arrangement(
        IReadOnlyList<WorkflowScenario> scenarios, Backend backend, HostingKind hosting, RabbitMqServer? broker) =>
        new()
        {
            Scenarios = scenarios,
            Backend = backend,
            Hosting = hosting,
            Broker = broker,
            BrokerAlone = broker is null ? null : _ceilings.TransportAlone,
            Injection = Variables.Injection,
        };

    /// <summary>
    /// The load engine that the environment asks for, with its own folder for reports. Null for the built-in engine.
    /// </summary>
    private ILoadEngine? LoadEngine(ResultWriter writer, string resultName) =>
        Variables.LoadEngine?.Invoke(Path.Combine(writer.DirectoryPath, LoadEngines.NBomber, resultName));

    /// <summary>The broker of the transport. Null if the hosting carries the events itself.</summary>
    /// <exception cref="BackendException">The broker is not available.</exception>
    private async Task<RabbitMqServer?> FindBrokerAsync(
        EventTransport? transport, CancellationToken cancellationToken) =>
        (transport ?? Variables.Transport) == EventTransport.RabbitMq
            ? (RabbitMqServer)await Catalog.ServerAsync(ServerKind.RabbitMq, cancellationToken)
            : null;

    /// <summary>
    /// Opens the backend and, before the first scenario, the directory of the results. Measures the ceilings of
    /// backend, hosting and broker before their first scenario.
    /// </summary>
    private async Task<(Backend Backend, ResultWriter Writer)> PrepareAsync(
        string name, string profile, HostingKind hosting, RabbitMqServer? broker, CancellationToken cancellationToken)
    {
        Progress.Enter(RunStage.Preparing, name);
        var backend = await Catalog.OpenAsync(profile, cancellationToken);
        if (Writer is not { } writer)
        {
            writer = await OpenAsync(ResultsDirectory, Checkout.Root, UsualResults, cancellationToken);
            var absent = (await Catalog.ProbeAllAsync(cancellationToken)).Where(one => !one.IsAvailable);
            await writer.AddNotExercisedAsync(
                [.. absent.Select(one => new NotExercised(one.Profile, one.Reason, one.HowToEnable))],
                cancellationToken);
        }

        if (!writer.Run.Environment.Backends.ContainsKey(backend.Name))
        {
            var description = await backend.DescribeAsync(cancellationToken);
            await writer.SetBackendAsync(backend.Name, description, cancellationToken);
        }

        if (await _ceilings.AddAsync(backend, hosting, broker, cancellationToken) is { } ceilings)
        {
            await writer.SetCeilingsAsync(backend.Name, ceilings, cancellationToken);
        }

        return (backend, writer);
    }
}
