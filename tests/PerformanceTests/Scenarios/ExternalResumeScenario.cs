using System.Diagnostics;
using System.Text.Json;
using IntegrationTests.Shared.Subjects;
using LoadTesting.Core.Scenarios;
using PerformanceTests.Running;
using Workflow.Contracts.Events;

namespace PerformanceTests.Scenarios;

/// <summary>Start, wait for an external signal, resume, complete.</summary>
public sealed class ExternalResumeScenario : WorkflowScenario
{
    private static readonly JsonElement Answer = JsonSerializer.SerializeToElement(new { approved = true });

    public override string Name => "synthetic-external-resume-smoke";

    public override string Tier => TierNames.Smoke;

    public override string Question => "Does a waiting workflow resume on an external signal, exactly once, and how long does each phase take?";

    public override int Operations => 12;

    public override int Concurrency => 4;

    public override IReadOnlyList<string> Definitions => ["synthetic-external-resume"];

    public override string CompletionEvent => nameof(InstanceCompleted);

    public override IReadOnlyList<string> Phases =>
        [PhaseNames.Start, PhaseNames.SignalPublish, PhaseNames.SignalToFirstCompletion, PhaseNames.SignalToCompletion, PhaseNames.DrainToIdle];

    public override async Task<IResponse> RunAsync(IScenarioContext context, Wave wave, WorkflowSubject subject)
    {
        var operation = wave.Begin();
        var token = context.ScenarioCancellationToken;
        await Step.Run(PhaseNames.Start, context, async () =>
        {
            var input = JsonSerializer.SerializeToElement(new { requestId = operation.Key, requester = "smoke" });
            await wave.SendAsync(operation, () => subject.StartAsync("synthetic-external-resume", operation.Key, input, token));
            return Response.Ok();
        });
        operation.PublishedTicks = Stopwatch.GetTimestamp();
        await Step.Run(PhaseNames.SignalPublish, context, async () =>
        {
            await subject.SignalAsync("external-resume", operation.Key, Answer, null, token);
            return Response.Ok();
        });
        var arrival = await operation.Completion.Arrival;
        return arrival.IsLost ? Response.Fail("lost", $"No {CompletionEvent} for {operation.Key} within the time-out.") : Response.Ok(endTimestamp: arrival.Timestamp);
    }
}
