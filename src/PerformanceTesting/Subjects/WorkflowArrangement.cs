using LoadTesting.Core.Load.Watches;
using PerformanceTesting.Backends;
using PerformanceTesting.Backends.RabbitMq;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.Events;
using Workflow.Engine.Configuration;

namespace PerformanceTesting.Subjects;

/// <summary>A regression on purpose, to see that a gate or a verdict finds it.</summary>
public interface IFaultInjection
{
    /// <summary>As in results, e.g. <c>delay:+10%</c>.</summary>
    string Name { get; }

    /// <summary>Whether it lies in the store, which reaches an engine in this process only.</summary>
    bool IsInStore { get; }

    /// <summary>The fault for one measurement.</summary>
    IPlantedFault Plant();
}

/// <summary>A regression on purpose in one measurement. Thread-safe.</summary>
public interface IPlantedFault
{
    /// <summary>The warm-up is over: what happens once happens from now on.</summary>
    void BeginMeasuring();

    /// <summary>Puts the cost of it into a store.</summary>
    /// <exception cref="ArgumentException">It needs another kind of store.</exception>
    IWorkflowStore Around(IWorkflowStore store, string? connectionString);

    /// <summary>Whether the next event reaches the consumer at all.</summary>
    bool Delivers(IntegrationEvent sent);

    /// <summary>When an event is delivered again; null for never.</summary>
    Task? DeliversAgainWhen(IntegrationEvent sent);

    /// <summary>Whether the next start is sent a second time, as by a client that repeats it without an idempotency key.</summary>
    bool StartsTwice();
}

/// <summary>What a measurement of workflow scenarios needs: where they run, and what is watched.</summary>
public sealed record WorkflowArrangement
{
    /// <summary>Loaded at the same time, on one service; most often one.</summary>
    public required IReadOnlyList<WorkflowScenario> Scenarios { get; init; }

    /// <summary>What the service lives on.</summary>
    public required RunningBackend Backend { get; init; }

    /// <summary>In process by default.</summary>
    public HostingKind Hosting { get; init; }

    /// <summary>Carries the events; null: the hosting's own way.</summary>
    public RabbitMqServer? Broker { get; init; }

    /// <summary>What the broker carries without an engine, in words for a result.</summary>
    public string? BrokerAlone { get; init; }

    /// <summary>The folder of the definitions that scenarios name.</summary>
    public required string Definitions { get; init; }

    /// <summary>Whether counters that a server reports late are waited for.</summary>
    public bool WaitsForReports { get; init; }

    /// <summary>The assembly of the service over HTTP, of another build; null: the one that the tests were built with.</summary>
    public string? ServiceAssembly { get; init; }

    /// <summary>When resources are judged that must not grow; null, the default: they are not. Only for one scenario.</summary>
    public LeakRules? Leaks { get; init; }

    /// <summary>Of a soak that lasts for a time, which may have been begun by another process; null for other loads.</summary>
    public SoakJournal? Journal { get; init; }

    /// <summary>A regression on purpose; null by default.</summary>
    public IFaultInjection? Injection { get; init; }

    /// <summary>Starts the service, registers the definitions, and names the observers.</summary>
    public async Task<Arrangement> ArrangeAsync(CancellationToken cancellationToken)
    {
        var database = await Backend.CreateDatabaseAsync("perf", cancellationToken);
        WorkflowSubject? subject = null;
        try
        {
            var fault = Injection?.Plant();
            subject = await StartAsync(database, fault, cancellationToken);
            subject.Observer.Fault = fault;
            string?[] others = [subject.Broker, Broker is null ? null : BrokerAlone];
            string[] remarks = [.. database.Notes, .. others.OfType<string>()];
            var measured = new List<MeasuredWorkflow>();
            foreach (var scenario in Scenarios)
            {
                var contents = await RegisterAsync(scenario, subject, Definitions, cancellationToken);
                measured.Add(new MeasuredWorkflow(scenario, subject, contents, remarks) { Remaining = Journal?.Remaining });
            }

            return new Arrangement(subject, measured, Observers(subject, database, measured), database);
        }
        catch
        {
            await (subject?.DisposeAsync() ?? ValueTask.CompletedTask);
            await database.DisposeAsync();
            throw;
        }
    }

    private bool Saturates(WorkflowSubject subject) => subject is HttpSubject && Scenarios.All(scenario => scenario.SaturatesByDesign);

    private List<IRunObserver> Observers(WorkflowSubject subject, BackendDatabase database, List<MeasuredWorkflow> measured)
    {
        var audit = new StoreAuditObserver(subject, database);
        List<IRunObserver> observers =
        [
            audit, .. database.Observe(new() { WaitForReports = WaitsForReports }),
        ];
        if (Broker is not null)
        {
            observers.Add(new CountersObserver(async token => await RabbitMqCollector.StartAsync(Broker.MetricsAddress, token)));
        }

        if (Leaks is not null)
        {
            var concurrency = measured.Sum(scenario => scenario.Concurrency ?? 1);
            var queue = new LeakProbe(
                "queueDepth", "items", concurrency, async token =>
                    await subject.CountAsync(token) is var counts ? WorkflowSubject.PendingOf(counts) + counts.BufferedSignals : null);
            observers.Add(new LeakObserver(subject, measured.Single(), [queue, .. database.LeakProbes], Leaks));
        }

        if (Saturates(subject))
        {
            observers.Insert(0, new SaturationObserver(
                (HttpSubject)subject, Scenarios.Sum(scenario => scenario.Concurrency), Scenarios.Max(scenario => scenario.RampUp)));
        }

        return
        [
            .. observers,
            .. Journal is null ? Array.Empty<IRunObserver>() : [Journal],
            new ServiceAccount(subject, Scenarios.All(scenario => scenario.StartsInstances), audit),
            new HostObserver(subject),
            new ResourceObserver(subject.ProcessIds, database.Watched, subject.AllocatedBytesAsync, () => subject.ProcessIds),
            .. Scenarios.Where(scenario => scenario.NodeChange != NodeChange.None)
                .Select(scenario => new NodeChangeObserver((HttpSubject)subject, scenario.NodeChange, scenario.Duration!.Value)),
        ];
    }

    private async Task<WorkflowSubject> StartAsync(BackendDatabase database, IPlantedFault? fault, CancellationToken cancellationToken)
    {
        var (lanes, nodes) = (Scenarios[0].SignalWorkers, Scenarios.Max(scenario => scenario.Nodes));
        if (nodes > 1 && (Hosting == HostingKind.InProcess || database.ConnectionString is null))
        {
            throw new ArgumentException(
                $"{Scenarios[0].Name} runs on {nodes} nodes, which needs web services over HTTP and a backend that they share; "
                + $"'{Backend.Backend.Name}' {(Hosting == HostingKind.InProcess ? "was to run in process" : "lives within one process")}.");
        }

        if (Scenarios.FirstOrDefault(scenario => scenario.NodeChange != NodeChange.None) is { } changed
            && (nodes < 2 || changed.Duration is null))
        {
            throw new ArgumentException($"{changed.Name} lets a node leave in mid-run: give it 2 nodes or more, and a duration.");
        }

        string[] receivers = [.. Scenarios.SelectMany(scenario => scenario.Receivers).Distinct()];
        if (Hosting == HostingKind.InProcess)
        {
            var store = database.CreateStore();
            store = fault?.Around(store, database.ConnectionString) ?? store;
            return await InProcessSubject.StartAsync(
                Backend.Backend.Name, store, lanes, receivers, cancellationToken,
                notifier: database.CreateNotifier(lanes ?? new WorkflowEngineOptions().Lanes), broker: Broker);
        }

        return Injection is not { IsInStore: true }
            ? await HttpSubject.StartAsync(
                Backend.Backend.Name,
                new WebServiceOptions
                {
                    Assembly = ServiceAssembly ?? new WebServiceOptions().Assembly,
                    Lanes = lanes,
                    Settings = new Dictionary<string, string>(database.ServiceSettings) { ["SignalReceivers"] = string.Join(
                        ',', receivers) },
                },
                cancellationToken,
                Broker,
                nodes,
                nodeLeaves: Scenarios.Any(scenario => scenario.NodeChange != NodeChange.None))
            : throw new ArgumentException(NotOverHttp(Injection));
    }

    /// <summary>Why a service over HTTP cannot be given an injection into its store.</summary>
    internal static string NotOverHttp(IFaultInjection injection) =>
        $"{MeasurementVariables.InjectName} is '{injection.Name}': it reaches an engine in this process only, not over HTTP. "
        + "Leave it out here.";

    /// <summary>Registers the scenario's definitions, and gives their content hashes.</summary>
    internal static async Task<IReadOnlyList<string>> RegisterAsync(
        WorkflowScenario scenario, WorkflowSubject subject, string definitions, CancellationToken cancellationToken)
    {
        var contents = new List<string>();
        foreach (var name in scenario.Definitions)
        {
            contents.Add(await subject.RegisterAsync(
                await File.ReadAllTextAsync(Path.Combine(definitions, name + ".json"), cancellationToken), cancellationToken));
        }

        return contents;
    }
}
