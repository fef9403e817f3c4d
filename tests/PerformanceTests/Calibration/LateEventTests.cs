namespace PerformanceTests.Calibration;

/// <summary>
/// An event that comes a second time when the load is over must be counted before the run has its verdict.
/// </summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class LateEventTests(RunFixture run)
{
    /// <summary>
    /// It is listened for a second: a busy machine that takes most of it for half a second gives no answer.
    /// </summary>
    [Theory]
    [InlineData("full size")]
    [InlineData("soak")]
    public async Task Duplicate_half_a_second_after_the_end_fails_the_run(string what)
    {
        WorkflowScenario scenario = what == "soak"
            ? new SignalRoundTripSoakScenario(SignalRoundTripSoakScenario.Soak, duration: null)
            : new SignalRoundTripLatencyScenario(SignalRoundTripLatencyScenario.Serial.At(ScenarioSize.Xl));
        using var fault =
            new CompletionFault { CopyOf = scenario.Operations, CopiesAfter = TimeSpan.FromMilliseconds(500) };

        var total = await MeasureAsync(scenario, HostingKind.InProcess, fault);

        var late = await fault.CopiedAfter.WaitAsync(Cancel);
        Assert.SkipWhen(
            late > TimeSpan.FromMilliseconds(800), $"Inconclusive: the copy came {late.TotalMilliseconds:0} ms later.");
        Assert.Equal((scenario.Operations, VerdictOutcome.Failed), (total.Ledger!.Completed, total.Verdict.Outcome));
        Assert.Contains(
            total.Verdict.Reasons, reason => reason.Contains("duplicate is 1 and must be 0", StringComparison.Ordinal));
    }

    /// <summary>
    /// The stream has two more completions of the last operation, and its one reader takes half a second for each.
    /// </summary>
    [Fact]
    public async Task Slow_reader_is_waited_for_up_to_its_last_event()
    {
        using var fault = new CompletionFault
        {
            Pause = number => TimeSpan.FromMilliseconds(number > TwinScenario.Row.Operations ? 500 : 0),
        };

        var total = await MeasureAsync(new TwinScenario(), HostingKind.Http, fault);

        Assert.Equal(TwinScenario.Row.Operations, total.Ledger!.Completed);
        Assert.True(
            total.Ledger.Duplicate == TwinScenario.Twins,
            $"{total.Ledger.Duplicate} of the {TwinScenario.Twins} second completions in the stream were counted");
    }

    private async Task<ScenarioResult> MeasureAsync(
        WorkflowScenario scenario, HostingKind hosting, CompletionFault fault)
    {
        var arrangement = new WorkflowArrangement
        {
            Scenarios = [scenario],
            Backend = await run.Catalog.OpenAsync("memory", Cancel),
            Hosting = hosting,
            Injection = fault,
        };
        var total = (await MeasurementPipeline.RunAsync(arrangement.ArrangeAsync, Cancel)).Total;
        TestContext.Current.TestOutputHelper?.WriteLine($"{total.Verdict.Outcome}: {string.Join(" | ", total.Verdict.Reasons)}");
        return total;
    }

    /// <summary>Operations one after the other, the last of which starts two more instances under its key.</summary>
    private sealed class TwinScenario() : RoundTripScenario(Row, "signal-roundtrip", "roundtrip")
    {
        public const int Twins = 2;

        public static ScenarioVariant Row { get; } = new("twins", TierNames.Calibration, 4, 1) { SignalWorkers = 1 };

        public override string Question => "Is the stream read to its end?";

        public override BatchShape Shape => BatchShape.Continuous;

        public override async Task<IResponse> RunAsync(
            IScenarioContext context, OperationBatch batch, WorkflowSubject subject)
        {
            var operation = batch.Begin();
            await StartAsync(context, batch, operation, subject);
            await PublishAsync(context, operation, subject);
            var isLast = batch.Size == Row.Operations && context.IterationNumber == Row.Operations - 1;
            for (var twin = 0; isLast && twin < Twins; twin++)
            {
                var input =
                    JsonSerializer.SerializeToElement(new { requestId = operation.Key, requester = "measurement" });
                await subject.StartAsync(Definitions[0], operation.Key, input, context.ScenarioCancellationToken);
                await subject.SignalAsync("roundtrip", operation.Key, Answer, null, context.ScenarioCancellationToken);
            }

            var arrival = await operation.Completion.Arrival;
            await batch.EndAsync(operation, context.ScenarioCancellationToken);
            return arrival.IsLost ? Response.Fail("lost") : Response.Ok(endTimestamp: arrival.Timestamp);
        }
    }
}
