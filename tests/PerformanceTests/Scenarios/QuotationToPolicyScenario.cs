using LoadTesting.Core.Load.Events;

namespace PerformanceTests.Scenarios;

/// <summary>
/// The heavy business flow: a quotation is priced, underwritten and its documents checked side by side, confirmed by a
/// person, converted to a policy by a sub-workflow, and issued after a short delay, with an event at each stage. The
/// person is the scenario: it takes the task and completes it as soon as it hears of it.
/// </summary>
public sealed class QuotationToPolicyScenario(ScenarioVariant variant) : VariantScenario(variant)
{
    /// <summary>Start sent to the stage's event seen.</summary>
    public const string StartToPriced = "startToPriced";

    /// <inheritdoc cref="StartToPriced"/>
    public const string StartToChecked = "startToChecked";

    /// <inheritdoc cref="StartToPriced"/>
    public const string StartToTask = "startToTask";

    /// <summary>Assignment sent to assignment durable.</summary>
    public const string TaskAssign = "taskAssign";

    /// <summary>Completion of the task sent to completion durable.</summary>
    public const string TaskComplete = "taskComplete";

    /// <summary>Completion of the task sent to the stage's event seen.</summary>
    public const string CompleteToConfirmed = "completeToConfirmed";

    /// <inheritdoc cref="CompleteToConfirmed"/>
    public const string CompleteToConverted = "completeToConverted";

    /// <summary>
    /// Completion of the task sent to the last stage's event seen: 20 ms of it are the flow's own delay.
    /// </summary>
    public const string CompleteToIssued = "completeToIssued";

    private const string Definition = "bulstrad-quotation-confirm-convert-to-policy";
    private const string Priced = "QuotationPriced";
    private const string Checked = "QuotationChecked";
    private const string Confirmed = "QuotationConfirmed";
    private const string Converted = "QuotationConverted";
    private const string Issued = "PolicyIssued";

    private static readonly string[] Expected =
        [Priced, Checked, nameof(TaskCreated), nameof(TaskCompleted), Confirmed, Converted, Issued,
            nameof(InstanceCompleted)];

    public static ScenarioVariant Nightly { get; } =
        new("bulstrad-quotation-confirm-convert-to-policy-nightly", TierNames.Nightly, 12, 4)
            { FullSizeOperations = 2_000 };

    public override string Question =>
        "What does a business flow of many stages cost, with a person, a sub-workflow and a timer, "
            + "and does each stage raise one event?";

    public override IReadOnlyList<string> Definitions => ["bulstrad-convert-to-policy", Definition];

    public override string CompletionEvent => nameof(InstanceCompleted);

    public override IReadOnlyList<string> Phases =>
    [
        PhaseNames.Start, StartToPriced, StartToChecked, StartToTask, TaskAssign, TaskComplete, CompleteToConfirmed,
        CompleteToConverted,
        CompleteToIssued,
        PhaseNames.StartToCompletion, PhaseNames.DrainToIdle,
    ];

    public override bool IsRequest(string step) => step is PhaseNames.Start or TaskAssign or TaskComplete;

    public override IReadOnlyList<string> Remarks =>
    [
        "Commits an operation: start to task, assignment, completion with the sub-workflow whole, timer to end; "
            + "flushes that several operations share count once.",
        "The flow itself waits 20 ms; no signal is sent, so the signal phases do not apply.",
    ];

    public override async Task<IResponse> RunAsync(
        IScenarioContext context, OperationBatch batch, WorkflowSubject subject)
    {
        var cancel = context.ScenarioCancellationToken;
        var operation = batch.Begin();
        using var events = subject.Observer.Follow(operation.Key);
        var quotation = Quotation.Of(context.IterationNumber, operation.Key);
        var (tasked, completed) =
            (batch.Expect(nameof(TaskCreated), operation), batch.Expect(nameof(TaskCompleted), operation));
        var (confirmed, converted, issued) = (batch.Expect(Confirmed, operation), batch.Expect(Converted, operation),
            batch.Expect(Issued, operation));
        Task[] opening =
        [
            UntilAsync(StartToPriced, context, batch.Expect(Priced, operation)),
            UntilAsync(StartToChecked, context, batch.Expect(Checked, operation)),
            UntilAsync(StartToTask, context, tasked),
        ];
        await Step.Run(PhaseNames.Start, context, () =>
            batch.SendAsync(
                operation, () => subject.StartAsync(Definition, operation.Key, quotation.ToInput(), cancel)));
        await Task.WhenAll(opening);

        var (task, agent) = (events.Only<TaskCreated>().TaskId, $"agent-{context.IterationNumber % 7}");
        await Step.Run(TaskAssign, context, () => subject.AssignTaskAsync(task, agent, cancel));
        Task[] closing =
        [
            UntilAsync(CompleteToConfirmed, context, confirmed),
            UntilAsync(CompleteToConverted, context, converted),
            UntilAsync(CompleteToIssued, context, issued),
            completed.Arrival,
        ];
        var output = JsonSerializer.SerializeToElement(new { confirmed = true, by = agent });
        await Step.Run(TaskComplete, context, () => subject.CompleteTaskAsync(task, output, cancel));
        await Task.WhenAll(closing);
        var arrival = await operation.Completion.Arrival;
        return arrival.IsLost ? Response.Fail("lost", $"No {CompletionEvent} for {operation.Key} within the time-out.")
            : WhatIsWrong(events, quotation, agent) is { } wrong ? Response.Fail("wrong", wrong)
            : Response.Ok(endTimestamp: arrival.Timestamp);
    }

    /// <summary>From now to the event's arrival.</summary>
    private static Task UntilAsync(
        string phase, IScenarioContext context, EventWait wait) => Step.Run(phase, context, async () =>
    {
        var arrival = await wait.Arrival;
        return arrival.IsLost
            ? (IResponse)Response.Fail("lost", $"The event of phase {phase} did not come within the time-out.")
            : Response.Ok(endTimestamp: arrival.Timestamp);
    });

    /// <summary>What the events of a flow that is over say wrongly; null when all is as it must be.</summary>
    private static string? WhatIsWrong(FollowedEvents events, Quotation quotation, string agent)
    {
        var types = events.All.Select(e => e.Type).ToArray();
        var output = events.Only<InstanceCompleted>().Output!.Value;
        var (premium, policy) = (output.GetProperty("premium").GetDecimal(), output.GetProperty("policy").GetString());
        var priced = events.All.OfType<EventRaised>().First(e => e.Name == Priced).Payload!.Value.GetProperty("premium")
            .GetDecimal();
        return !types.Order(StringComparer.Ordinal).SequenceEqual(Expected.Order(StringComparer.Ordinal))
            ? $"The events were {string.Join(", ", types)}; each of {string.Join(", ", Expected)} is due once."
            : premium != quotation.Premium || priced != quotation.Premium ? string.Create(
                CultureInfo.InvariantCulture, $"The premium is {premium}, and {priced} in its event, where {quotation.Premium} is due.")
            : policy != $"P-{quotation.Number}" ? $"The policy is '{policy}' where 'P-{quotation.Number}' is due."
            : events.Only<TaskCompleted>().Assignee != agent
                ? $"The task was completed by '{events.Only<TaskCompleted>().Assignee}' where '{agent}' had taken it."
            : null;
    }

    /// <summary>What is asked for, and the premium that is due for it.</summary>
    private sealed record Quotation(string Number, int SumInsured, decimal RatePerMille, int Age)
    {
        public decimal Premium => Math.Max(25,
            decimal.Round(SumInsured * RatePerMille / 1000 * (Age >= 60 ? 1.5m : Age < 25 ? 1.2m : 1), 2,
                MidpointRounding.AwayFromZero));

        /// <summary>Sums, rates and ages in turn, so that every loading and the least premium occur.</summary>
        public static Quotation Of(long iteration, string key) =>
            new($"Q-{key}", 1_000 + (int)(iteration * 7_919 % 99_000), 3.7m + (iteration % 5 * 0.35m),
                18 + (int)(iteration * 13 % 60));

        public JsonElement ToInput() =>
            JsonSerializer.SerializeToElement(
                new { quotation = Number, sumInsured = SumInsured, ratePerMille = RatePerMille, age = Age });
    }
}
