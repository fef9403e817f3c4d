using Workflow.Contracts.Instances;

namespace PerformanceTests.Scenarios;

/// <summary>
/// Virtual users who each start a workflow over HTTP, wait for its completion on the event stream, and begin again. The
/// published suite is that of Fleans: linear, parallel, events, and a mix of 40, 30 and 30 %.
/// </summary>
public sealed class VirtualUserScenario : WorkflowScenario
{
    /// <summary>The share of each in a mix.</summary>
    private static readonly (string Kind, int Percent)[] Mix = [("linear", 40), ("parallel", 30), ("events", 30)];

    private const string Events = "events";
    private const string Mixed = "mixed";
    private const string Polling = "events-polling";

    /// <summary>Between the answer that says an instance is not there yet and the next question.</summary>
    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(50);

    private static readonly JsonElement Answer = JsonSerializer.SerializeToElement(new { approved = true });

    /// <summary>All users are there after this time, whatever their number.</summary>
    private static readonly TimeSpan UsersComeIn = TimeSpan.FromSeconds(3);

    private readonly string _kind;
    private readonly TimeSpan? _duration;

    private VirtualUserScenario(string name, string kind, int users, TimeSpan? duration, string? group = null) =>
        (Name, _kind, Concurrency, _duration, Group) = (name, kind, users, duration, group);

    /// <summary>The names of the suite, without the number of users.</summary>
    public static IReadOnlyList<string> Kinds { get; } = [.. Mix.Select(part => part.Kind), Mixed, Polling];

    public override string Name { get; }

    public override string Tier => _duration is null ? TierNames.Smoke : TierNames.Nightly;

    public override string? Group { get; }

    public override string Question => QuestionOf(_kind, Concurrency);

    /// <summary>The question that a kind of the suite answers.</summary>
    public static string QuestionOf(string kind, int users) => kind switch
    {
        "linear" => $"How many linear workflows complete in a second for {Quantity.Of(users, "user")} at once?",
        "parallel" => $"What does a fork of three branches cost {Quantity.Of(users, "user")} at "
            + "once, beside a linear workflow?",
        Polling =>
            "What does it cost, in requests and in time, that users poll their workflows "
                + "instead of listening to events?",
        Events => $"How soon does a message reach each of {Quantity.Of(users, "user")} who "
            + "wait for one at the same time?",
        Mixed => "What do linear, forking and waiting workflows cost each other when they share the service?",
        _ => throw new ArgumentOutOfRangeException(
            nameof(kind), kind, $"There is no '{kind}', only {string.Join(", ", Kinds)}."),
    };

    public override int Operations => _duration is null ? 10 * Concurrency : 0;

    public override int Concurrency { get; }

    public override TimeSpan? Duration => _duration;

    public override BatchShape Shape => BatchShape.Continuous;

    public override TimeSpan RampUp => _duration is null ? TimeSpan.Zero : UsersComeIn;

    public override bool SaturatesByDesign => _duration is not null;

    public override int WarmUpOperations => _duration is null ? Concurrency : 10 * Concurrency;

    public override IReadOnlyList<string> Definitions => [Definition];

    public override IReadOnlyList<string> Remarks => _kind == Polling
        ? [$"Users poll every {PollInterval.TotalMilliseconds:0} ms, at first at once: until the instance waits for "
            + "its message, and then until it is completed. An operation ends with the answer that says so; its event "
            + "is awaited beside it, for the account."]
        : [];

    public override string CompletionEvent => nameof(InstanceCompleted);

    public override IReadOnlyList<string> Phases => _kind is Events or Polling
        ? [PhaseNames.Start, PhaseNames.SignalPublish, PhaseNames.SignalToFirstCompletion, PhaseNames.DrainToIdle]
        : [PhaseNames.Start, PhaseNames.StartToCompletion, PhaseNames.DrainToIdle];

    /// <summary>A kind of the suite: one scenario, or for the mix the three that run at once.</summary>
    /// <param name="kind">Of <see cref="Kinds"/>.</param>
    /// <param name="users">In all.</param>
    /// <param name="duration">
    /// How long they go on; null for the small form, in which each user does ten workflows.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such kind.</exception>
    public static IReadOnlyList<WorkflowScenario> Of(string kind, int users, TimeSpan? duration) => kind switch
    {
        Mixed =>
        [
            .. Mix.Select(part => new VirtualUserScenario(
                $"mixed-vu{users}-{part.Kind}", part.Kind, users * part.Percent / 100, duration, $"mixed-vu{users}")),
        ],
        _ when Kinds.Contains(kind) => [new VirtualUserScenario($"{kind}-vu{users}", kind, users, duration)],
        _ => throw new ArgumentOutOfRangeException(
            nameof(kind), kind, $"There is no '{kind}', only {string.Join(", ", Kinds)}."),
    };

    private string Definition => $"load-{(_kind == Polling ? Events : _kind)}";

    public override async Task<IResponse> RunAsync(
        IScenarioContext context, OperationBatch batch, WorkflowSubject subject)
    {
        var operation = batch.Begin();
        try
        {
            return await (_kind != Polling ? ListenAsync(context, batch, operation, subject)
                : subject is HttpSubject service ? PollAsync(context, batch, operation, service)
                : throw new ArgumentException($"{Name} polls the service over HTTP; run it there.", nameof(subject)));
        }
        finally
        {
            batch.Leave(operation);
        }
    }

    private async Task<IResponse> ListenAsync(
        IScenarioContext context, OperationBatch batch, Operation operation, WorkflowSubject subject)
    {
        await Step.Run(PhaseNames.Start, context, () => batch.SendAsync(
            operation,
            () => subject.StartAsync(
                Definition, operation.Key, InputOf(operation), context.ScenarioCancellationToken)));
        if (_kind == Events)
        {
            await SignalAsync(context, operation, subject);
        }

        var arrival = await operation.Completion.Arrival;
        await batch.EndAsync(operation, context.ScenarioCancellationToken);
        return arrival.IsLost ? Lost(operation) : Response.Ok(endTimestamp: arrival.Timestamp);
    }

    private async Task<IResponse> PollAsync(
        IScenarioContext context, OperationBatch batch, Operation operation, HttpSubject service)
    {
        var (instance, cancel) = (Guid.Empty, context.ScenarioCancellationToken);
        await Step.Run(PhaseNames.Start, context, async () =>
        {
            (var response, instance) = await batch.SendAsync(
                operation, () => service.StartAndFindAsync(Definition, operation.Key, InputOf(operation), cancel),
                started => started.Instance != Guid.Empty);
            return response;
        });
        if (await SeenAsync(InstanceState.Waiting) == 0)
        {
            return Stalled(InstanceState.Waiting);
        }

        await SignalAsync(context, operation, service);
        var seen = await SeenAsync(InstanceState.Completed);
        var arrival = await operation.Completion.Arrival;
        if (seen == 0 || arrival.IsLost)
        {
            await batch.EndAsync(operation, cancel);
            return arrival.IsLost ? Lost(operation) : Stalled(InstanceState.Completed);
        }

        batch.Complete(operation, seen);
        return Response.Ok(endTimestamp: seen);

        // Monotonic ticks at which an answer said so; 0 where none did in time.
        async Task<long> SeenAsync(InstanceState wanted)
        {
            while (Stopwatch.GetElapsedTime(operation.BeganTicks) < CompletionTimeout)
            {
                var state = default(InstanceState);
                await Step.Run(PhaseNames.Poll, context, async () =>
                {
                    (var response, state) = await service.PollAsync(instance, operation.Key, cancel);
                    return response;
                });
                if (state == wanted)
                {
                    return Stopwatch.GetTimestamp();
                }

                // To sleep and poll again is the subject here, not the instrument.
                await Task.Delay(PollInterval, cancel);
            }

            return 0;
        }

        IResponse Stalled(InstanceState wanted) => Response.Fail(
            "pollStall", $"Polled for {CompletionTimeout.TotalSeconds:0} s, the instance of {operation.Key} was not seen {wanted}.");
    }

    private static Task SignalAsync(IScenarioContext context, Operation operation, WorkflowSubject subject)
    {
        operation.PublishedTicks = Stopwatch.GetTimestamp();
        return Step.Run(
            PhaseNames.SignalPublish, context,
            () => subject.SignalAsync("load-message", operation.Key, Answer, null, context.ScenarioCancellationToken));
    }

    private static JsonElement InputOf(Operation operation) =>
        JsonSerializer.SerializeToElement(new { requestId = operation.Key, price = 12, quantity = 9 });

    private IResponse Lost(Operation operation) =>
        Response.Fail("lost", $"No {CompletionEvent} for {operation.Key} within the time-out.");
}
