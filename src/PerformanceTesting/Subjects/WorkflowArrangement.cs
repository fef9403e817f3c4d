using System.Net;
using LoadTesting.Core.Agents;
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

    /// <summary>Warm up and drive in place of this process; null, the default: nobody. They are on the way to it where it is set.</summary>
    public AgentCoordinator? Agents { get; init; }

    /// <summary>What agents are asked for: services and contents are filled in. Needed with <see cref="Agents"/>.</summary>
    public AgentTask? Asked { get; init; }

    /// <summary>Why so many agents cannot share a scenario, and what to do instead; null where they can.</summary>
    public static string? WhyNotDivided(WorkflowScenario scenario, HostingKind hosting, int agents)
    {
        var users = Math.Min(
            scenario.RatePerSecond is null ? scenario.Concurrency : int.MaxValue,
            scenario.WarmUpOperations > 0 ? scenario.WarmUpConcurrency : int.MaxValue);
        return hosting == HostingKind.InProcess
                ? $"{scenario.Name} runs in the process of its generator, of which there is one: take {scenario.Name}-http."
            : scenario.NodeChange != NodeChange.None
                ? $"{scenario.Name} lets a node leave in mid-run, which only its own process sends no more requests to: run it without "
                    + "--agents."
            : scenario.Shape == BatchShape.EachAlone
                ? $"{scenario.Name} begins each operation when the service is idle after the one before, which is one client's order: run "
                    + "it without --agents, or take a scenario of several users."
            : scenario.IterationsPerOperation > 1
                ? $"{scenario.Name} sends no signal before the last start has been answered, and no agent knows of the others' starts: run "
                    + "it without --agents, or take a scenario whose operations follow one another, such as linear-vu500-http."
            : users < agents ? $"{scenario.Name} has {users} {(users == 1 ? "user" : "users")} for {agents} agents: use --agents {users} "
                + "at most."
            : null;
    }

    /// <summary>Starts the service, registers the definitions, and names the observers.</summary>
    public async Task<Arrangement> ArrangeAsync(CancellationToken cancellationToken)
    {
        await RequireAgentsAsync(cancellationToken);
        var database = await Backend.CreateDatabaseAsync("perf", cancellationToken);
        WorkflowSubject? subject = null;
        try
        {
            var fault = Injection?.Plant();
            subject = await StartAsync(database, fault, cancellationToken);
            subject.Observer.Fault = fault;
            string?[] others = [subject.Broker, Broker is null ? null : BrokerAlone, AgentsRemark];
            string[] remarks = [.. database.Notes, .. others.OfType<string>()];
            var (measured, registered) = (new List<MeasuredWorkflow>(), new List<IReadOnlyList<string>>());
            foreach (var scenario in Scenarios)
            {
                var contents = await RegisterAsync(scenario, subject, cancellationToken);
                registered.Add(contents);
                measured.Add(new MeasuredWorkflow(scenario, subject, contents, remarks) { Remaining = Journal?.Remaining });
            }

            var task = Asked is null ? null : Asked with
            {
                Services = subject.Services, NeedsKey = Key is not null, Contents = registered, Injection = Injection?.Name,
                Duration = Journal?.Remaining ?? Asked.Duration,
            };
            var ceiling = Saturates(subject) && Agents is not null ? await NoOpPerSecondAsync(task!, cancellationToken) : null as double?;
            return new Arrangement(subject, measured, Observers(subject, database, measured, ceiling), database)
            {
                Agents = Agents is null ? null : (Agents, $"{task}"),
            };
        }
        catch
        {
            await (subject?.DisposeAsync() ?? ValueTask.CompletedTask);
            await database.DisposeAsync();
            throw;
        }
    }

    private bool Saturates(WorkflowSubject subject) => subject is HttpSubject && Scenarios.All(scenario => scenario.SaturatesByDesign);

    /// <summary>What a service asks for that listens where agents of other machines come to; null where nobody else reaches it.</summary>
    private string? Key => Agents is { } agents && !agents.Options.Listen.Address.Equals(IPAddress.Loopback) ? agents.Secret : null;

    private string? AgentsRemark => Agents is null ? null
        : "Each agent listens to the events of all and takes those of its own operations: what reading them costs, each of them pays."
            + (Key is null ? "" : " The service asks for a key, which each request carries.");

    private int Users => Scenarios.Sum(scenario => scenario.Concurrency);

    /// <summary>What agents together get out of a route that does nothing, for the same number of users.</summary>
    private async Task<double> NoOpPerSecondAsync(AgentTask task, CancellationToken cancellationToken) => NoOpLoad.PerSecond(
        await Agents!.RunAsync(
            $"{task with { NoOpClients = Users }}", [NoOpLoad.Of(task.Services[0], Users)], cancellationToken));

    private async Task RequireAgentsAsync(CancellationToken cancellationToken)
    {
        if (Agents is null)
        {
            return;
        }

        var whyNot = Scenarios.Select(scenario => WhyNotDivided(scenario, Hosting, Agents.Options.Agents))
            .FirstOrDefault(reason => reason is not null);
        if (whyNot is not null)
        {
            throw new ArgumentException(whyNot);
        }

        await Agents.GatherAsync(cancellationToken);
    }

    private List<IRunObserver> Observers(
        WorkflowSubject subject, BackendDatabase database, List<MeasuredWorkflow> measured, double? ceiling)
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
            observers.Add(new LeakObserver(subject, measured.Single(), [queue, .. database.LeakProbes], Leaks, Agents));
        }

        if (Saturates(subject))
        {
            observers.Insert(0, new SaturationObserver(
                (HttpSubject)subject, Users, Scenarios.Max(scenario => scenario.RampUp), ceiling));
        }

        return
        [
            .. observers,
            .. Journal is null ? Array.Empty<IRunObserver>() : [Journal],
            new ServiceAccount(subject, Scenarios.All(scenario => scenario.StartsInstances), audit),
            new HostObserver(subject),
            new ResourceObserver(
                subject.ProcessIds, database.Watched, subject.AllocatedBytesAsync, Agents?.LocalProcessIds, () => subject.ProcessIds),
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
                    Address = Key is null ? IPAddress.Loopback : Agents!.Options.Listen.Address,
                    Key = Key,
                    Settings = new Dictionary<string, string>(database.ServiceSettings) { ["SignalReceivers"] = string.Join(
                        ',', receivers) },
                },
                cancellationToken,
                Broker,
                nodes,
                listens: Agents is null,
                nodeLeaves: Scenarios.Any(scenario => scenario.NodeChange != NodeChange.None))
            : throw new ArgumentException(NotOverHttp(Injection));
    }

    /// <summary>Why a service over HTTP cannot be given an injection into its store.</summary>
    internal static string NotOverHttp(IFaultInjection injection) =>
        $"{MeasurementVariables.InjectName} is '{injection.Name}': it reaches an engine in this process only, not over HTTP. "
        + "Leave it out here.";

    /// <summary>Registers the scenario's definitions, and gives their content hashes.</summary>
    private async Task<IReadOnlyList<string>> RegisterAsync(
        WorkflowScenario scenario, WorkflowSubject subject, CancellationToken cancellationToken)
    {
        var contents = new List<string>();
        foreach (var name in scenario.Definitions)
        {
            contents.Add(await subject.RegisterAsync(
                await File.ReadAllTextAsync(Path.Combine(Definitions, name + ".json"), cancellationToken), cancellationToken));
        }

        return contents;
    }
}

/// <summary>What agents are asked for: a scenario of the catalogue that they and the coordinator know, on a service that runs.</summary>
public sealed record AgentTask
{
    /// <summary>By its name in the catalogue.</summary>
    public required string Scenario { get; init; }

    /// <summary>The backend combination.</summary>
    public required string Profile { get; init; }

    /// <summary>The build of the catalogue: agents of another would make another load.</summary>
    public required Guid Build { get; init; }

    /// <summary>Operations that begin in a second, over all agents; null: the scenario's own load.</summary>
    public int? RatePerSecond { get; init; }

    /// <summary>How long the load lasts; null: as the scenario has it.</summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>Operations before it that do not count, over all agents; null: as many as the scenario has.</summary>
    public int? WarmUpOperations { get; init; }

    /// <summary>Where the service's nodes listen.</summary>
    public IReadOnlyList<Uri> Services { get; init; } = [];

    /// <summary>Whether they ask for the key that coordinator and agents share.</summary>
    public bool NeedsKey { get; init; }

    /// <summary>Content hashes of the definitions of each scenario that runs at the same time.</summary>
    public IReadOnlyList<IReadOnlyList<string>> Contents { get; init; } = [];

    /// <summary>A regression on purpose, by its name, in the first part alone; null: none.</summary>
    public string? Injection { get; init; }

    /// <summary>More than 0: not the scenario, but so many clients of a route that does nothing.</summary>
    public int NoOpClients { get; init; }

    /// <summary>Reads what <see cref="ToString"/> wrote.</summary>
    /// <exception cref="JsonException">It is no such text.</exception>
    public static AgentTask Parse(string text) =>
        JsonSerializer.Deserialize<AgentTask>(text) ?? throw new JsonException("There is no task.");

    public override string ToString() => JsonSerializer.Serialize(this);

    /// <summary>Prepares and warms up an agent's part.</summary>
    /// <param name="scenarios">What <see cref="Scenario"/> names, with the load that is asked for; they run at the same time.</param>
    /// <param name="part">Which part.</param>
    /// <param name="injection">What <see cref="Injection"/> names.</param>
    /// <param name="cancellationToken">Ends the preparation.</param>
    public Task<AgentLoad> PrepareAsync(
        IReadOnlyList<WorkflowScenario> scenarios, AgentPart part, IFaultInjection? injection, CancellationToken cancellationToken)
    {
        return NoOpClients > 0
            ? Task.FromResult(new AgentLoad([NoOpLoad.Of(Services[0], NoOpClients)]))
            : MeasurementPipeline.PrepareAsync(
                async token =>
                {
                    var subject = await HttpSubject.JoinAsync(Profile, Services, part.Owns, NeedsKey ? part.Secret : null, token);
                    subject.Observer.Fault = part.Index == 0 ? injection?.Plant() : null;
                    return new Arrangement(
                        subject,
                        [.. scenarios.Select((scenario, place) => new MeasuredWorkflow(scenario, subject, Contents[place], remarks: []))],
                        []);
                },
                part,
                cancellationToken);
    }
}
