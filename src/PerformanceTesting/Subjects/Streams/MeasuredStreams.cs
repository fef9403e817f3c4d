using LoadTesting.Core.Http.Streams;

namespace PerformanceTesting.Subjects.Streams;

/// <summary>A scenario with event streams on a service that has started.</summary>
internal sealed class MeasuredStreams(StreamScenario scenario, StreamSubject subject, IReadOnlyList<string> remarks) : MeasuredScenario
{
    /// <summary>After each tenth publication one client, by turns, cuts its stream and comes back.</summary>
    private const int PublicationsToReconnection = 10;

    private const int WarmUpPublications = 20;

    private FanOutResult? _result;

    public override string FullName { get; } = NameOf(scenario.Name, subject.Profile, HostingKind.Http, transport: null);

    public override string Profile => subject.Profile;

    public override string Tier => scenario.Tier;

    public override int LoadOperations => scenario.Publications;

    public override int? LoadConcurrency => scenario.Users == 0 ? null : scenario.Users;

    public override IReadOnlyList<LoadSimulation> Load => [scenario.Load];

    public override IReadOnlyList<LoadSimulation> WarmUp => [Simulation.IterationsForConstant(2, WarmUpPublications)];

    /// <summary>
    /// At full size until generator and service are warm: a publication that waits for the just-in-time compiler is the slowest of all.
    /// </summary>
    public override Task WarmUpAsync(Func<Task> loadAsync) => scenario.IsFullSize ? subject.WarmUpAsync(loadAsync) : loadAsync();

    public override LoadOptions Options => new()
    {
        CompletionTimeout = 2 * StreamScenario.DeliveryTimeout,
        HealthLimits = new GeneratorHealthLimits { MinimumSamplesInTail = 10 },
    };

    public override string ContentHash { get; } = LoadTesting.Core.Results.ContentHash.Of(
        [$"{scenario.Clients} {scenario.Users}", $"{scenario.DeliveriesPerSecond} {scenario.Delay}", $"{StreamSubject.Projects}"]);

    public override IReadOnlyList<string> Phases => StreamPhases.All;

    public override IReadOnlyList<Threshold> Thresholds =>
        [Threshold.AtMost("failed", 0), Threshold.AtMost("dropped", 0), .. scenario.Limits];

    /// <summary>A delivery that comes twice comes a moment later.</summary>
    public override TimeSpan ListeningTime => TimeSpan.FromMilliseconds(scenario.Tier == TierNames.Smoke ? 50 : 1_000);

    public override IReadOnlyList<string> Notes =>
    [
        scenario.Question,
        $"{scenario.Clients} event streams, each on a connection of its own, all in the generator's process; opened at "
            + $"{new EventStreamsOptions().OpenedPerSecond} a second, and their times count from when each was due.",
        scenario.Users == 0
            ? FormattableString.Invariant(
                $"A publication every {scenario.Interval.TotalMilliseconds:0.###} ms, for {scenario.DeliveriesPerSecond:0} deliveries/s.")
            : FormattableString.Invariant(
                $"{scenario.Users} users, each waits {scenario.Delay.TotalMilliseconds:0} ms after an answer, and for its deliveries."),
        "A publication is a new version of a definition; the latency of an operation is from its request to the last client's receipt.",
        "After each tenth publication one client cuts its stream and comes back with Last-Event-ID.",
        $"Warmed up with {WarmUpPublications} publications to other streams that are not part of the result"
            + (scenario.IsFullSize
                ? ", again and again until the just-in-time compiler took at most 5 % of each process's time." : "."),
        .. remarks,
    ];

    /// <summary>Each publication stands alone: it is over when the last client has it.</summary>
    public override BatchOptions BatchOf(int operations, bool isWarmUp) => new()
    {
        Size = operations,
        Timeout = StreamScenario.DeliveryTimeout,
        Shape = BatchShape.Continuous,
        WaitForIdleAsync = (_, _) => Task.FromResult(Stopwatch.GetTimestamp()),
    };

    public override async Task<IResponse> RunAsync(IScenarioContext context, OperationBatch batch)
    {
        var (streams, cancel) = (subject.Streams, context.ScenarioCancellationToken);
        var operation = batch.Begin(context.IntendedTimestamp);
        var publication = streams.FanOut.Publish(operation.Number);
        await Step.Run(StreamPhases.Publish, context, async () =>
        {
            var reply = await batch.SendAsync(
                operation, () => subject.PublishAsync(context, operation.Number), isAccepted: answer => answer.Status == 201);
            if (reply.Status == 201)
            {
                return (IResponse)Response.Ok();
            }

            streams.FanOut.Withdraw(publication);
            return Response.Fail($"{reply.Status}", Encoding.UTF8.GetString(reply.Body.Span));
        });
        context.RestUntil(Stopwatch.GetTimestamp() + (long)(scenario.Delay.TotalSeconds * Stopwatch.Frequency));
        if (operation.Number % PublicationsToReconnection == PublicationsToReconnection / 2)
        {
            streams.Reconnect((int)(operation.Number / PublicationsToReconnection % streams.Clients));
        }

        return await ReceivedAsync(publication, batch, operation, cancel);
    }

    public override long SamplesOf(string phase, long operations) => phase switch
    {
        StreamPhases.Open or StreamPhases.FirstMessage => scenario.Clients,
        StreamPhases.Propagation => operations * scenario.Clients,
        _ => operations,
    };

    public override LatencyHistogram HistogramOf(string phase, ScenarioStats measured, OperationTally tally) => phase switch
    {
        StreamPhases.Open => Result.Open,
        StreamPhases.FirstMessage => Result.FirstMessage,
        StreamPhases.Propagation => Result.Propagation,
        _ => base.HistogramOf(phase, measured, tally),
    };

    /// <summary>What came of all streams, as it is when the account is made; nothing later changes the result.</summary>
    internal FanOutResult Result => _result ??= subject.Streams.Result();

    private async Task<IResponse> ReceivedAsync(
        Publication publication, OperationBatch batch, Operation operation, CancellationToken cancellationToken)
    {
        try
        {
            var ticks = await publication.Everywhere.WaitAsync(StreamScenario.DeliveryTimeout, cancellationToken);
            batch.Complete(operation, ticks);
            return Response.Ok(endTimestamp: ticks);
        }
        catch (TimeoutException)
        {
            await batch.EndAsync(operation, cancellationToken);
            return Response.Fail(
                "lost", $"A publication did not reach all event streams within {StreamScenario.DeliveryTimeout.TotalSeconds:0} s.");
        }
    }
}
