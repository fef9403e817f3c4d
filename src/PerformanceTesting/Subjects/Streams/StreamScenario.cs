using LoadTesting.Core.Http.Streams;

namespace PerformanceTesting.Subjects.Streams;

/// <summary>
/// A scenario of the suite that Replane publishes: many clients listen to the event stream, and new versions of
/// definitions are published to all of them. An operation is a publication, from its request to the last client's
/// receipt. The scenario is measured on one service at a time, to which <see cref="Attach"/> connects it.
/// </summary>
public sealed class StreamScenario : MeasuredScenario
{
    /// <summary>A publication that has not reached every client within this time has lost deliveries.</summary>
    public static readonly TimeSpan DeliveryTimeout = TimeSpan.FromSeconds(10);

    private const string CombinedQuestion =
        "What do users who publish, many event streams and the scraping of metrics do to each other?";

    private const int StreamsOfAdministration = 10;

    /// <summary>After each tenth publication one client, by turns, cuts its stream and comes back.</summary>
    private const int PublicationsToReconnection = 10;

    private const int WarmUpPublications = 20;

    private readonly string _tier;
    private StreamSubject? _subject;
    private IReadOnlyList<string> _backendRemarks = [];
    private FanOutResult? _result;

    private StreamScenario(string name, string tier, string question, int clients) =>
        (Name, _tier, Question, Clients) = (name, tier, question, clients);

    /// <summary>The names of the suite, without a number.</summary>
    public static IReadOnlyList<string> Kinds { get; } = ["sse-fanout", "admin-api", "combined"];

    /// <summary>Name without the profile.</summary>
    public string Name { get; }

    /// <summary>The question that the scenario answers.</summary>
    public string Question { get; }

    /// <summary>Event streams that are open at a time.</summary>
    public int Clients { get; }

    /// <summary>Users who publish, each one version after the other; 0 if publications are on a schedule.</summary>
    public int Users { get; private init; }

    /// <summary>How long a user waits after each answer.</summary>
    public TimeSpan Delay { get; private init; }

    /// <summary>Deliveries that the schedule asks for, per second over all clients.</summary>
    public double DeliveriesPerSecond { get; private init; }

    /// <summary>How long publications are made; null if <see cref="Publications"/> ends them.</summary>
    public TimeSpan? Duration { get; private init; }

    /// <summary>Publications of all users together, in the small form; 0 if a duration ends them.</summary>
    public int Publications { get; private init; }

    /// <summary>The pass rules on times. The small form has none, since it has too few samples.</summary>
    public IReadOnlyList<Threshold> Limits { get; private init; } = [];

    /// <summary>Whether its times are judged, so that it must not measure the just-in-time compiler.</summary>
    public bool IsFullSize => Limits.Count > 0;

    /// <summary>Between two publications of the schedule.</summary>
    public TimeSpan Interval => TimeSpan.FromSeconds(Clients / DeliveriesPerSecond);

    /// <summary>The rest of <see cref="Duration"/>, if an earlier process began the load; null for all of it.</summary>
    internal TimeSpan? Remaining { get; set; }

    /// <summary>The most publications that its users can make.</summary>
    internal double MostPublications => (Remaining ?? Duration) is { } duration && Users > 0
        ? Users * (duration / (Delay > TimeSpan.Zero ? Delay : TimeSpan.FromMilliseconds(1)))
        : Publications;

    /// <summary>The account of all streams when it is first read. Later deliveries do not change the result.</summary>
    internal FanOutResult Result => _result ??= Subject.Streams.Result();

    public override string FullName => NameOf(Name, Profile, HostingKind.Http, transport: null);

    public override string Profile => Subject.Profile;

    public override string Tier => _tier;

    public override int LoadOperations => Publications;

    public override int? LoadConcurrency => Users == 0 ? null : Users;

    public override IReadOnlyList<LoadSimulation> Load
    {
        get
        {
            if ((Remaining ?? Duration) is not { } duration)
            {
                return [Simulation.IterationsForConstant(Users, Publications)];
            }

            return Users == 0 ? [Simulation.Inject(1, Interval, duration)] : [Simulation.KeepConstant(Users, duration)];
        }
    }

    public override IReadOnlyList<LoadSimulation> WarmUp => [Simulation.IterationsForConstant(2, WarmUpPublications)];

    public override LoadOptions Options => new()
    {
        CompletionTimeout = 2 * DeliveryTimeout,
        HealthLimits = new GeneratorHealthLimits { MinimumSamplesInTail = 10 },
    };

    public override string ContentHash => LoadTesting.Core.Results.ContentHash.Of(
        [$"{Clients} {Users}", $"{DeliveriesPerSecond} {Delay}", $"{StreamSubject.Projects}"]);

    public override IReadOnlyList<string> Phases => StreamPhases.All;

    public override IReadOnlyList<Threshold> Thresholds =>
        [Threshold.AtMost("failed", 0), Threshold.AtMost("dropped", 0), .. Limits];

    /// <summary>A delivery that comes twice comes a moment later.</summary>
    public override TimeSpan ListeningTime => TimeSpan.FromMilliseconds(Tier == TierNames.Smoke ? 50 : 1_000);

    public override IReadOnlyList<string> Notes =>
    [
        Question,
        $"{Clients} event streams, each on a connection of its own, all in the generator's process; opened at "
            + $"{new EventStreamsOptions().OpenedPerSecond} a second, and their times count from when each was due.",
        Users == 0
            ? FormattableString.Invariant(
                $"A publication every {Interval.TotalMilliseconds:0.###} ms, for {DeliveriesPerSecond:0} deliveries/s.")
            : FormattableString.Invariant(
                $"{Users} users, each waits {Delay.TotalMilliseconds:0} ms after an answer, and for its deliveries."),
        "A publication is a new version of a definition; the latency of an operation is from its request to the last "
            + "client's receipt.",
        "After each tenth publication one client cuts its stream and comes back with Last-Event-ID.",
        $"Warmed up with {WarmUpPublications} publications to other streams that are not part of the result"
            + (IsFullSize
                ? ", again and again until the just-in-time compiler took at most 5 % of each process's time."
                : "."),
        .. _backendRemarks,
    ];

    private StreamSubject Subject => _subject
        ?? throw new InvalidOperationException($"{Name} is not on a service yet: call {nameof(Attach)} first.");

    private static Threshold[] LimitsOfStreams { get; } =
    [
        Threshold.AtMost("p95Ms", 200, stepName: StreamPhases.Open),
        Threshold.AtMost("p95Ms", 200, stepName: StreamPhases.FirstMessage),
    ];

    private static Threshold[] LimitsOfUsers { get; } =
    [
        Threshold.AtMost("p95Ms", 100, stepName: StreamPhases.Publish),
        Threshold.AtMost("p99Ms", 200, stepName: StreamPhases.Publish),
    ];

    /// <summary>The full size of a kind, as the environment asks for it.</summary>
    /// <param name="kind">One of <see cref="Kinds"/>.</param>
    /// <param name="variables">Numbers of clients and users, and times.</param>
    /// <param name="tier">The tier that it runs in.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such kind.</exception>
    public static StreamScenario Of(string kind, MeasurementVariables variables, string tier = TierNames.Nightly)
    {
        var (clients, users, duration) = (variables.SseClients, variables.AdminUsers, variables.SseDuration);
        return kind switch
        {
            "sse-fanout" => Fanout(
                $"sse-fanout-{clients}", tier, clients, variables.SseDeliveriesPerSecond, duration,
                [.. LimitsOfStreams, Threshold.AtMost("p99Ms", 100, stepName: StreamPhases.Propagation)]),
            "admin-api" => Administration(
                $"admin-api-{users}", tier, users, variables.AdminDelay, duration, publications: 0, LimitsOfUsers),
            "combined" => Combined($"combined-{clients}", tier, variables, duration),
            _ => throw Unknown(kind),
        };
    }

    /// <summary>The small form of a kind: some publications to some tens of streams, for correctness.</summary>
    /// <param name="kind">One of <see cref="Kinds"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such kind.</exception>
    public static StreamScenario Small(string kind) => kind switch
    {
        "sse-fanout" => Fanout(
            "sse-fanout-100", TierNames.Smoke, 100, 10_000, TimeSpan.FromMilliseconds(200), limits: []),
        "admin-api" => Administration(
            "admin-api-small", TierNames.Smoke, 2, TimeSpan.Zero, duration: null, publications: 20, limits: []),
        "combined" => SmallCombined("combined-small", TierNames.Smoke),
        _ => throw Unknown(kind),
    };

    /// <summary>Users who publish and many event streams, for a duration.</summary>
    /// <param name="variables">Numbers of clients and users.</param>
    /// <param name="duration">Null for the small form, of 20 publications.</param>
    public static StreamScenario Soak(MeasurementVariables variables, TimeSpan? duration) => duration is { } time
        ? Combined($"combined-{variables.SseClients}-soak", TierNames.Soak, variables, time)
        : SmallCombined("combined-soak-small", TierNames.Soak);

    /// <summary>Puts the scenario on a service that has started.</summary>
    /// <param name="subject">The service.</param>
    /// <param name="backendRemarks">What a reader of the result should know about the backend.</param>
    public void Attach(StreamSubject subject, IReadOnlyList<string> backendRemarks) =>
        (_subject, _backendRemarks, _result) = (subject, backendRemarks, null);

    /// <summary>
    /// At full size until generator and service are warm: a publication that waits for the just-in-time compiler is the
    /// slowest of all.
    /// </summary>
    public override Task WarmUpAsync(Func<Task> loadAsync) =>
        IsFullSize ? Subject.WarmUpAsync(loadAsync) : base.WarmUpAsync(loadAsync);

    /// <summary>Each publication stands alone: it is over when the last client has it.</summary>
    public override BatchOptions BatchOf(int operations, bool isWarmUp) => new()
    {
        Size = operations,
        Timeout = DeliveryTimeout,
        Shape = BatchShape.Continuous,
        WaitForIdleAsync = (_, _) => Task.FromResult(Stopwatch.GetTimestamp()),
    };

    public override async Task<IResponse> RunAsync(IScenarioContext context, OperationBatch batch)
    {
        var (subject, streams, cancel) = (Subject, Subject.Streams, context.ScenarioCancellationToken);
        var operation = batch.Begin(context.IntendedTimestamp);
        var publication = streams.FanOut.Publish(operation.Number);
        await Step.Run(StreamPhases.Publish, context, async () =>
        {
            var reply = await batch.SendAsync(
                operation,
                () => subject.PublishAsync(context, operation.Number),
                isAccepted: answer => answer.Status == 201);
            if (reply.Status == 201)
            {
                return (IResponse)Response.Ok();
            }

            streams.FanOut.Withdraw(publication);
            return Response.Fail($"{reply.Status}", Encoding.UTF8.GetString(reply.Body.Span));
        });
        context.RestUntil(Stopwatch.GetTimestamp() + (long)(Delay.TotalSeconds * Stopwatch.Frequency));
        if (operation.Number % PublicationsToReconnection == PublicationsToReconnection / 2)
        {
            streams.Reconnect((int)(operation.Number / PublicationsToReconnection % streams.Clients));
        }

        return await ReceivedAsync(publication, batch, operation, cancel);
    }

    public override long SamplesOf(string phase, long operations) => phase switch
    {
        StreamPhases.Open or StreamPhases.FirstMessage => Clients,
        StreamPhases.Propagation => operations * Clients,
        _ => operations,
    };

    public override LatencyHistogram HistogramOf(string phase, ScenarioStats measured, OperationTally tally) =>
        phase switch
        {
            StreamPhases.Open => Result.Open,
            StreamPhases.FirstMessage => Result.FirstMessage,
            StreamPhases.Propagation => Result.Propagation,
            _ => base.HistogramOf(phase, measured, tally),
        };

    private static StreamScenario Fanout(
        string name, string tier, int clients, double perSecond, TimeSpan duration, IReadOnlyList<Threshold> limits) =>
        new(name, tier,
            "How soon does a publication reach every one of many open event streams, and does each have it once?",
            clients)
        {
            DeliveriesPerSecond = perSecond,
            Duration = TimeSpan.FromTicks(Math.Max(duration.Ticks, TimeSpan.FromSeconds(clients / perSecond).Ticks)),
            Limits = limits,
        };

    private static StreamScenario Administration(
        string name, string tier, int users, TimeSpan delay, TimeSpan? duration, int publications,
        IReadOnlyList<Threshold> limits) =>
        new(name, tier, "How long does a new version of a definition take to be stored and acknowledged?",
            StreamsOfAdministration)
        {
            Users = users,
            Delay = delay,
            Duration = duration,
            Publications = publications,
            Limits = limits,
        };

    private static StreamScenario Combined(
        string name, string tier, MeasurementVariables variables, TimeSpan duration) =>
        new(name, tier, CombinedQuestion, variables.SseClients)
        {
            Users = variables.AdminUsers,
            Delay = variables.AdminDelay,
            Duration = duration,
            Limits = [.. LimitsOfStreams, .. LimitsOfUsers],
        };

    private static StreamScenario SmallCombined(string name, string tier) =>
        new(name, tier, CombinedQuestion, clients: 50) { Users = 2, Publications = 20 };

    private static ArgumentOutOfRangeException Unknown(string kind) =>
        new(nameof(kind), kind, $"There is no '{kind}', only {string.Join(", ", Kinds)}.");

    private async Task<IResponse> ReceivedAsync(
        Publication publication, OperationBatch batch, Operation operation, CancellationToken cancellationToken)
    {
        try
        {
            var ticks = await publication.Everywhere.WaitAsync(DeliveryTimeout, cancellationToken);
            batch.Complete(operation, ticks);
            return Response.Ok(endTimestamp: ticks);
        }
        catch (TimeoutException)
        {
            await batch.EndAsync(operation, cancellationToken);
            return Response.Fail(
                "lost",
                $"A publication did not reach all event streams within {DeliveryTimeout.TotalSeconds:0} s.");
        }
    }
}
