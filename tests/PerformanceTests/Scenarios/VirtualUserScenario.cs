using System.Text.Json;
using Workflow.Contracts.Events;

namespace PerformanceTests.Scenarios;

/// <summary>
/// Virtual users who each start a workflow over HTTP, wait for its completion on the event stream, and begin again. The published suite is
/// that of Fleans: linear, parallel, events, and a mix of 40, 30 and 30 %.
/// </summary>
public sealed class VirtualUserScenario : WorkflowScenario
{
    /// <summary>The share of each in a mix.</summary>
    private static readonly (string Kind, int Percent)[] Mix = [("linear", 40), ("parallel", 30), ("events", 30)];

    private static readonly JsonElement Answer = JsonSerializer.SerializeToElement(new { approved = true });

    private readonly string _kind;
    private readonly TimeSpan? _duration;

    private VirtualUserScenario(string name, string kind, int users, TimeSpan? duration, string? group = null) =>
        (Name, _kind, Concurrency, _duration, Group) = (name, kind, users, duration, group);

    /// <summary>The names of the suite, without the number of users.</summary>
    public static IReadOnlyList<string> Kinds { get; } = [.. Mix.Select(part => part.Kind), "mixed"];

    public override string Name { get; }

    public override string Tier => _duration is null ? TierNames.Smoke : TierNames.Nightly;

    public override string? Group { get; }

    public override string Question => _kind switch
    {
        "linear" => "How many linear workflows complete in a second for so many users at once?",
        "parallel" => "What does a fork of three branches cost beside a linear workflow?",
        _ => "How many users can wait for a message at once, and how soon does it reach each of them?",
    };

    public override int Operations => _duration is null ? 10 * Concurrency : 0;

    public override int Concurrency { get; }

    public override TimeSpan? Duration => _duration;

    public override BatchShape Shape => BatchShape.Continuous;

    public override bool SaturatesByDesign => _duration is not null;

    public override int WarmUpOperations => _duration is null ? Concurrency : 10 * Concurrency;

    public override IReadOnlyList<string> Definitions => [$"load-{_kind}"];

    public override string CompletionEvent => nameof(InstanceCompleted);

    public override IReadOnlyList<string> Phases => _kind == "events"
        ? [PhaseNames.Start, PhaseNames.SignalPublish, PhaseNames.SignalToFirstCompletion, PhaseNames.DrainToIdle]
        : [PhaseNames.Start, PhaseNames.StartToCompletion, PhaseNames.DrainToIdle];

    /// <summary>A kind of the suite with so many users: one scenario, or for the mix the three that run at once.</summary>
    /// <param name="kind">Of <see cref="Kinds"/>.</param>
    /// <param name="users">In all.</param>
    /// <param name="duration">How long they go on; null for the small form, in which each user does ten workflows.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such kind.</exception>
    public static IReadOnlyList<WorkflowScenario> Of(string kind, int users, TimeSpan? duration) => kind switch
    {
        "mixed" =>
        [
            .. Mix.Select(part => new VirtualUserScenario(
                $"mixed-vu{users}-{part.Kind}", part.Kind, users * part.Percent / 100, duration, $"mixed-vu{users}")),
        ],
        _ when Kinds.Contains(kind) => [new VirtualUserScenario($"{kind}-vu{users}", kind, users, duration)],
        _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, $"There is no '{kind}', only {string.Join(", ", Kinds)}."),
    };

    public override async Task<IResponse> RunAsync(IScenarioContext context, OperationBatch batch, WorkflowSubject subject)
    {
        var operation = batch.Begin();
        await Step.Run(PhaseNames.Start, context, async () =>
        {
            var input = JsonSerializer.SerializeToElement(new { requestId = operation.Key, price = 12, quantity = 9 });
            await batch.SendAsync(
                operation, () => subject.StartAsync($"load-{_kind}", operation.Key, input, context.ScenarioCancellationToken));
            return (IResponse)Response.Ok();
        });
        if (_kind == "events")
        {
            operation.PublishedTicks = Stopwatch.GetTimestamp();
            await Step.Run(PhaseNames.SignalPublish, context, async () =>
            {
                await subject.SignalAsync("load-message", operation.Key, Answer, null, context.ScenarioCancellationToken);
                return (IResponse)Response.Ok();
            });
        }

        var arrival = await operation.Completion.Arrival;
        await batch.EndAsync(operation, context.ScenarioCancellationToken);
        return arrival.IsLost
            ? Response.Fail("lost", $"No {CompletionEvent} for {operation.Key} within the time-out.")
            : Response.Ok(endTimestamp: arrival.Timestamp);
    }
}
