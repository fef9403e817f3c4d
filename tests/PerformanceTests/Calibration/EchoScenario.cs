namespace PerformanceTests.Calibration;

/// <summary>The worked example of the README, which is this text.</summary>
internal sealed class EchoScenario : WorkflowScenario
{
    public override string Name => "echo-smoke";
    public override string Tier => TierNames.Smoke;
    public override string Question => "What does a workflow of one step cost?";
    public override int Operations => 20;
    public override int Concurrency => 2;
    public override IReadOnlyList<string> Definitions => ["echo"];   // fixtures/definitions/echo.json
    public override string CompletionEvent => nameof(InstanceCompleted);
    public override IReadOnlyList<string> Phases =>
        [PhaseNames.Start, PhaseNames.StartToCompletion, PhaseNames.DrainToIdle];

    public override async Task<IResponse> RunAsync(
        IScenarioContext context, OperationBatch batch, WorkflowSubject subject)
    {
        var operation = batch.Begin();   // awaits the completion from here on
        var input = JsonSerializer.SerializeToElement(new { text = "hello" });
        await Step.Run(PhaseNames.Start, context, () => batch.SendAsync(
            operation, () => subject.StartAsync("echo", operation.Key, input, context.ScenarioCancellationToken)));
        var arrival = await operation.Completion.Arrival;
        await batch.EndAsync(operation, context.ScenarioCancellationToken);
        return arrival.IsLost ? Response.Fail("lost") : Response.Ok(endTimestamp: arrival.Timestamp);
    }
}
