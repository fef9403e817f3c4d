using LoadTesting.Core.Load.Watches;
using PerformanceTesting.Backends;
using PerformanceTesting.Backends.RabbitMq;
using Workflow.Engine.Configuration;

namespace PerformanceTesting.Subjects;

/// <summary>Arranges a measurement of workflow scenarios: service, database and observers.</summary>
public sealed record WorkflowArrangement
{
    /// <summary>Loaded at the same time, on one service; most often one.</summary>
    public required IReadOnlyList<WorkflowScenario> Scenarios { get; init; }

    /// <summary>What the service lives on.</summary>
    public required Backend Backend { get; init; }

    /// <summary>In process by default.</summary>
    public HostingKind Hosting { get; init; }

    /// <summary>Carries the events. Null (the default) for the usual transport of the hosting.</summary>
    public RabbitMqServer? Broker { get; init; }

    /// <summary>What the broker carries without an engine, in words for a result.</summary>
    public string? BrokerAlone { get; init; }

    /// <summary>Whether counters that a server reports late are waited for.</summary>
    public bool WaitsForReports { get; init; }

    /// <summary>The service's assembly of another build. Null (the default) for that of the tests.</summary>
    public string? ServiceAssembly { get; init; }

    /// <summary>
    /// Rules for resources that must not grow; for one scenario only. Null (the default) if they are not judged.
    /// </summary>
    public LeakRules? Leaks { get; init; }

    /// <summary>
    /// Of a soak that lasts for a time, which may have been begun by another process; null for other loads.
    /// </summary>
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
            foreach (var scenario in Scenarios)
            {
                await scenario.AttachAsync(subject, cancellationToken);
                (scenario.Remaining, scenario.BackendRemarks) = (Journal?.Remaining, remarks);
            }

            return new Arrangement(subject, Scenarios, Observers(subject, database), database);
        }
        catch
        {
            await (subject?.DisposeAsync() ?? ValueTask.CompletedTask);
            await database.DisposeAsync();
            throw;
        }
    }

    private bool Saturates(WorkflowSubject subject) =>
        subject is HttpSubject && Scenarios.All(scenario => scenario.SaturatesByDesign);

    private List<IRunObserver> Observers(WorkflowSubject subject, BackendDatabase database)
    {
        var audit = new StoreAuditObserver(subject, database);
        List<IRunObserver> observers =
        [
            audit, .. database.Observe(WaitsForReports),
        ];
        if (Broker is not null)
        {
            observers.Add(
                new CountersObserver(async token => await RabbitMqCollector.StartAsync(Broker.MetricsAddress, token)));
        }

        if (Leaks is not null)
        {
            var concurrency = Scenarios.Sum(scenario => scenario.LoadConcurrency ?? 1);
            var queue = new LeakProbe(
                "queueDepth", "items", concurrency, async token =>
                    await subject.CountAsync(token) is var counts
                        ? WorkflowSubject.PendingOf(counts) + counts.BufferedSignals : null);
            observers.Add(new LeakObserver(subject, Scenarios.Single(), [queue, .. database.LeakProbes], Leaks));
        }

        if (Saturates(subject))
        {
            observers.Insert(0, new SaturationObserver(
                (HttpSubject)subject, Scenarios.Sum(scenario => scenario.Concurrency),
                Scenarios.Max(scenario => scenario.RampUp)));
        }

        return
        [
            .. observers,
            .. Journal is null ? Array.Empty<IRunObserver>() : [Journal],
            new ServiceAccount(subject, Scenarios.All(scenario => scenario.StartsInstances), audit),
            new HostObserver(subject),
            new ResourceObserver(
                subject.ProcessIds, database.Server, subject.AllocatedBytesAsync, () => subject.ProcessIds,
                () => subject.Observer.Sums),
            .. Scenarios.Where(scenario => scenario.NodeChange != NodeChange.None)
                .Select(scenario =>
                    new NodeChangeObserver((HttpSubject)subject, scenario.NodeChange, scenario.Duration!.Value)),
        ];
    }

    private async Task<WorkflowSubject> StartAsync(
        BackendDatabase database, IPlantedFault? fault, CancellationToken cancellationToken)
    {
        var (lanes, nodes) = (Scenarios[0].SignalWorkers, Scenarios.Max(scenario => scenario.Nodes));
        if (nodes > 1 && (Hosting == HostingKind.InProcess || database.ConnectionString is null))
        {
            throw new ArgumentException(
                $"{Scenarios[0].Name} runs on {nodes} nodes, which needs web services over HTTP and a backend that "
                    + $"they share; '{Backend.Name}' "
                    + $"{(Hosting == HostingKind.InProcess ? "was to run in process" : "lives within one process")}.");
        }

        if (Scenarios.FirstOrDefault(scenario => scenario.NodeChange != NodeChange.None) is { } changed
            && (nodes < 2 || changed.Duration is null))
        {
            throw new ArgumentException($"{changed.Name} lets a node leave in mid-run: "
                + "give it 2 nodes or more, and a duration.");
        }

        var residency = Scenarios.Min(scenario => scenario.IdleTime) is { } idleTime
            ? new ResidencyOptions { IdleTime = idleTime }
            : null;
        string[] receivers = [.. Scenarios.SelectMany(scenario => scenario.Receivers).Distinct()];
        if (Hosting == HostingKind.InProcess)
        {
            var store = database.CreateStore();
            store = fault?.Around(store, database.ConnectionString) ?? store;
            return await InProcessSubject.StartAsync(
                Backend.Name, store, lanes, receivers, cancellationToken,
                notifier: database.CreateNotifier(lanes ?? new WorkflowEngineOptions().Lanes), broker: Broker,
                residency: residency);
        }

        return Injection is not { IsInStore: true }
            ? await HttpSubject.StartAsync(
                Backend.Name,
                new WebServiceOptions
                {
                    Assembly = ServiceAssembly ?? new WebServiceOptions().Assembly,
                    Lanes = lanes,
                    Settings = SettingsOf(database, receivers, residency),
                },
                cancellationToken,
                Broker,
                nodes,
                nodeLeaves: Scenarios.Any(scenario => scenario.NodeChange != NodeChange.None))
            : throw new ArgumentException(InProcessOnlyReason(Injection));
    }

    private static Dictionary<string, string> SettingsOf(
        BackendDatabase database, string[] receivers, ResidencyOptions? residency)
    {
        var settings = new Dictionary<string, string>(database.ServiceSettings)
        {
            ["SignalReceivers"] = string.Join(',', receivers),
        };
        if (residency is not null)
        {
            settings["Residency:IdleSeconds"] =
                residency.IdleTime.TotalSeconds.ToString(CultureInfo.InvariantCulture);
        }

        return settings;
    }

    /// <summary>Why a service over HTTP cannot be given an injection into its store.</summary>
    internal static string InProcessOnlyReason(IFaultInjection injection) =>
        $"{MeasurementVariables.InjectName} is '{injection.Name}': it reaches an engine in this process only, not over "
            + "HTTP. Leave it out here.";
}
