namespace PerformanceTesting.Subjects.Streams;

/// <summary>
/// A scenario of the suite that Replane publishes: many clients listen to the event stream, and new versions of definitions are published
/// to all of them. An operation is a publication, from its request to the last client's receipt.
/// </summary>
public sealed record StreamScenario
{
    /// <summary>A publication that has not reached every client within this time has lost deliveries.</summary>
    public static readonly TimeSpan DeliveryTimeout = TimeSpan.FromSeconds(10);

    private const int StreamsOfAdministration = 10;

    private StreamScenario()
    {
    }

    /// <summary>The names of the suite, without a number.</summary>
    public static IReadOnlyList<string> Kinds { get; } = ["sse-fanout", "admin-api", "combined"];

    /// <summary>Name without the profile.</summary>
    public required string Name { get; init; }

    /// <summary>The tier it runs in.</summary>
    public required string Tier { get; init; }

    /// <summary>What it answers.</summary>
    public required string Question { get; init; }

    /// <summary>Event streams that are open at a time.</summary>
    public required int Clients { get; init; }

    /// <summary>Users who publish, each one version after the other; 0 where publications are on a schedule.</summary>
    public int Users { get; init; }

    /// <summary>How long a user waits after each answer.</summary>
    public TimeSpan Delay { get; init; }

    /// <summary>Deliveries that the schedule asks for, per second over all clients.</summary>
    public double DeliveriesPerSecond { get; init; }

    /// <summary>How long publications are made; null where <see cref="Publications"/> ends them.</summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>Publications of all users together, of the small form; 0 where a time ends them.</summary>
    public int Publications { get; init; }

    /// <summary>The pass rules on times; the small form has none, as it has too few samples.</summary>
    public IReadOnlyList<Threshold> Limits { get; init; } = [];

    /// <summary>Whether its times are judged, so that it must not measure the just-in-time compiler.</summary>
    public bool IsFullSize => Limits.Count > 0;

    /// <summary>Between two publications of the schedule.</summary>
    public TimeSpan Interval => TimeSpan.FromSeconds(Clients / DeliveriesPerSecond);

    internal LoadSimulation Load =>
        Users == 0 ? Simulation.Inject(1, Interval, Duration!.Value)
        : Duration is { } duration ? Simulation.KeepConstant(Users, duration)
        : Simulation.IterationsForConstant(Users, Publications);

    /// <summary>The full size of a kind, by what the environment asks for.</summary>
    /// <param name="kind">Of <see cref="Kinds"/>.</param>
    /// <param name="variables">Numbers of clients and users, and times.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such kind.</exception>
    public static StreamScenario Of(string kind, MeasurementVariables variables)
    {
        var (clients, users, duration) = (variables.SseClients, variables.AdminUsers, variables.SseDuration);
        return kind switch
        {
            "sse-fanout" => Fanout($"sse-fanout-{clients}", TierNames.Nightly, clients, variables.SseDeliveriesPerSecond, duration) with
            {
                Limits = [.. LimitsOfStreams, Threshold.AtMost("p99Ms", 100, stepName: StreamPhases.Propagation)],
            },
            "admin-api" => Administration($"admin-api-{users}", TierNames.Nightly, StreamsOfAdministration, users) with
            {
                Delay = variables.AdminDelay, Duration = duration, Limits = LimitsOfUsers,
            },
            "combined" => Combined($"combined-{clients}", TierNames.Nightly, clients, users) with
            {
                Delay = variables.AdminDelay, Duration = duration, Limits = [.. LimitsOfStreams, .. LimitsOfUsers],
            },
            _ => throw Unknown(kind),
        };
    }

    /// <summary>Users who publish and many event streams for as long as <paramref name="duration"/> says.</summary>
    /// <param name="variables">Numbers of clients and users.</param>
    /// <param name="duration">Null for the small form, of 20 publications.</param>
    public static StreamScenario Soak(MeasurementVariables variables, TimeSpan? duration)
    {
        return duration is null
            ? Small("combined") with { Name = "combined-soak-small", Tier = TierNames.Soak }
            : Of("combined", variables) with
            {
                Name = $"combined-{variables.SseClients}-soak", Tier = TierNames.Soak, Duration = duration,
            };
    }

    /// <summary>The most publications that its users can make.</summary>
    internal double MostPublications => Duration is { } duration && Users > 0
        ? Users * (duration / (Delay > TimeSpan.Zero ? Delay : TimeSpan.FromMilliseconds(1)))
        : Publications;

    /// <summary>The small form of a kind: some publications to some tens of streams, for correctness.</summary>
    /// <inheritdoc cref="Of"/>
    public static StreamScenario Small(string kind) => kind switch
    {
        "sse-fanout" => Fanout("sse-fanout-100", TierNames.Smoke, 100, 10_000, TimeSpan.FromMilliseconds(200)),
        "admin-api" => Administration("admin-api-small", TierNames.Smoke, StreamsOfAdministration, 2) with { Publications = 20 },
        "combined" => Combined("combined-small", TierNames.Smoke, 50, 2) with { Publications = 20 },
        _ => throw Unknown(kind),
    };

    private static Threshold[] LimitsOfStreams { get; } =
    [
        Threshold.AtMost("p95Ms", 200, stepName: StreamPhases.Open), Threshold.AtMost("p95Ms", 200, stepName: StreamPhases.FirstMessage),
    ];

    private static Threshold[] LimitsOfUsers { get; } =
    [
        Threshold.AtMost("p95Ms", 100, stepName: StreamPhases.Publish), Threshold.AtMost("p99Ms", 200, stepName: StreamPhases.Publish),
    ];

    private static StreamScenario Fanout(string name, string tier, int clients, double perSecond, TimeSpan duration) => new()
    {
        Name = name,
        Tier = tier,
        Question = "How soon does a publication reach every one of many open event streams, and does each have it once?",
        Clients = clients,
        DeliveriesPerSecond = perSecond,
        Duration = TimeSpan.FromTicks(Math.Max(duration.Ticks, TimeSpan.FromSeconds(clients / perSecond).Ticks)),
    };

    private static StreamScenario Administration(string name, string tier, int clients, int users) => new()
    {
        Name = name,
        Tier = tier,
        Question = "How long does a new version of a definition take to be stored and acknowledged?",
        Clients = clients,
        Users = users,
    };

    private static StreamScenario Combined(string name, string tier, int clients, int users) => new()
    {
        Name = name,
        Tier = tier,
        Question = "What do users who publish, many event streams and the scraping of metrics do to each other?",
        Clients = clients,
        Users = users,
    };

    private static ArgumentOutOfRangeException Unknown(string kind) =>
        new(nameof(kind), kind, $"There is no '{kind}', only {string.Join(", ", Kinds)}.");
}
