using System.Diagnostics;

namespace UnitTests.LoadTesting.Load;

[Collection(TimedCollection.Name)]
public sealed class StepTests
{
    [Fact]
    public async Task A_step_ends_at_the_timestamp_taken_elsewhere()
    {
        var result = await Runs.OneAsync(Runs.Iterations(1, 5, async context =>
        {
            var response = await Step.Run("event", context, async () =>
            {
                var stamped = Stopwatch.GetTimestamp() + (Stopwatch.Frequency / 4);
                await Task.Yield();
                return Response.Ok(payload: "order", endTimestamp: stamped);
            });
            Assert.Equal("order", response.Payload);
            return Response.Ok();
        }));

        Assert.Equal(5, result.Step("event").Ok.Count);
        Assert.InRange(result.Step("event").Ok.Latency.MinMs, 250, 350);
        Assert.Equal(0, result.Step("event").EndBeforeStart);
    }

    [Fact]
    public async Task Time_of_an_external_engine_is_not_part_of_a_step()
    {
        var scenario = Runs.Iterations(1, 3, async context =>
        {
            await Step.Run("typed", context, async () =>
            {
                await Task.Yield();
                return Response.Ok("order");
            });
            await Step.Run("untyped", context, () => Runs.Ok);
            return Response.Ok();
        });

        var result = (await new LoadRunner(engine: new SlowHost())
            .RunAsync([scenario], new LoadOptions(), Cancel)).Scenarios.Single();

        Assert.Equal((3, 3), (result.Step("typed").Ok.Count, result.Step("untyped").Ok.Count));
        Assert.InRange(result.Ok.Latency.MinMs, 4 * SlowHost.Pause.TotalMilliseconds, double.MaxValue);
        // Were the engine's pauses in them, even the quickest would be as long.
        Assert.InRange(result.Step("typed").Ok.Latency.MinMs, 0, SlowHost.Pause.TotalMilliseconds);
        Assert.InRange(result.Step("untyped").Ok.Latency.MinMs, 0, SlowHost.Pause.TotalMilliseconds);
    }

    [Fact]
    public async Task Phases_that_overlap_are_recorded_by_their_stamps()
    {
        var result = await Runs.OneAsync(Runs.Iterations(1, 4, context =>
        {
            context.RecordStep("signal", 1_000, 1_000 + Stopwatch.Frequency, isOk: context.IterationNumber != 3);
            context.RecordStep("inverted", 1_000, 999, isOk: true);
            return Runs.Ok;
        }));

        Assert.Equal((3, 1), (result.Step("signal").Ok.Count, result.Step("signal").Fail.Count));
        Assert.Equal(1_000, result.Step("signal").Ok.Latency.AverageMs, 6);
        Assert.Equal((4, 0), (result.Step("inverted").EndBeforeStart, (int)result.Step("inverted").Ok.Latency.MaxMs));
        Assert.Equal(["signal", "inverted"], result.Steps.Select(step => step.Name));
    }

    [Fact]
    public async Task A_failed_step_ends_its_iteration_with_its_status_code()
    {
        var reached = 0;

        var result = await Runs.OneAsync(Runs.Iterations(1, 3, async context =>
        {
            await Step.Run("first", context, () => Task.FromResult(Response.Fail("429", "slow down")));
            Interlocked.Increment(ref reached);
            return Response.Ok();
        }));

        Assert.Equal(0, reached);
        Assert.Equal((0, 3), (result.Ok.Count, result.Fail.Count));
        Assert.Equal([new StatusCodeCount("429", 3, "slow down")], result.Fail.StatusCodes);
        Assert.Equal([new StatusCodeCount("429", 3, "slow down")], result.Step("first").Fail.StatusCodes);
        Assert.True(double.IsNaN(result.Ok.Latency.PercentileMs(99)));
        Assert.Equal(3, result.Fail.Latency.Count);
    }

    [Fact]
    public async Task Failed_step_can_let_its_iteration_continue()
    {
        var result = await Runs.OneAsync(Runs.Iterations(1, 3, async context =>
        {
            var first = await Step.Run("first", context, () => Task.FromResult(Response.Fail<int>("429")));
            await Step.Run("second", context,
                async () => await Task.FromResult<IResponse>(Response.Ok(sizeBytes: first.IsError ? 7 : 0)));
            return Response.Ok("200", sizeBytes: 5);
        }).WithRestartIterationOnFail(false));

        Assert.Equal((3, 0), (result.Ok.Count, result.Fail.Count));
        Assert.Equal((3, 21), (result.Step("second").Ok.Count, result.Step("second").Ok.SizeBytes));
        Assert.Equal(15, result.Ok.SizeBytes);
        Assert.Equal([new StatusCodeCount("200", 3, "")], result.Ok.StatusCodes);
    }

    [Theory]
    [InlineData(1L << 62), InlineData(long.MaxValue)]
    public async Task Sums_of_bytes_stay_at_the_greatest_number(long size)
    {
        var result = await Runs.OneAsync(Runs.Iterations(1, 5, async context =>
        {
            await Step.Run("step", context,
                async () => await Task.FromResult<IResponse>(Response.Ok(sizeBytes: size, sentBytes: size)));
            return Response.Ok(sizeBytes: size, sentBytes: size);
        }));

        Assert.Equal((long.MaxValue, long.MaxValue), (result.Ok.SizeBytes, result.Ok.SentBytes));
        Assert.Equal(long.MaxValue, ByteSum.Of([result.Ok.SizeBytes, result.Step("step").Ok.SizeBytes, 1]));
    }

    [Fact]
    public async Task Exceptions_and_timeouts_are_failures_with_codes_of_their_own()
    {
        var result = await Runs.OneAsync(Runs.Iterations(1, 3, context => context.IterationNumber switch
        {
            0 => throw new InvalidOperationException("no such order"),
            1 => throw new OperationCanceledException("too slow"),
            _ => Task.FromResult<IResponse>(null!),
        }));

        Assert.Equal(3, result.Fail.Count);
        Assert.Equal(
            [
                new StatusCodeCount("-101", 2, "InvalidOperationException: no such order"),
                new StatusCodeCount("-100", 1, "operation timeout: too slow"),
            ],
            result.Fail.StatusCodes);
    }

    [Fact]
    public async Task Completed_step_returns_its_own_task()
    {
        var ended = Task.FromResult(Response.Ok("200"));

        var result = await Runs.OneAsync(Runs.Iterations(1, 3, async context =>
        {
            var step = Step.Run("ended", context, () => ended);
            Assert.Same(ended, step);
            await step;
            return Response.Ok();
        }));

        Assert.Equal((3, 3), (result.Ok.Count, result.Step("ended").Ok.Count));
    }

    [Fact]
    public async Task A_step_that_returns_nothing_has_failed()
    {
        var result = await Runs.OneAsync(Runs.Iterations(1, 2, async context =>
        {
            await (context.IterationNumber == 0
                ? Step.Run("nothing", context, () => Task.FromResult<Response<object>>(null!))
                : Step.Run<object>("nothing", context, () => null!));
            return Response.Ok();
        }));

        Assert.Equal((0, 2), (result.Ok.Count, result.Step("nothing").Fail.Count));
        Assert.Contains("'nothing' returned null", result.Fail.StatusCodes.Single().Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Step_names_with_ids_are_refused()
    {
        var result = await Runs.OneAsync(Runs.Iterations(1, 250, context =>
        {
            context.RecordStep($"order-{context.IterationNumber}", 0, 1, isOk: true);
            return Runs.Ok;
        }));

        Assert.Equal((200, 50), (result.Ok.Count, result.Fail.Count));
        Assert.Contains(
            "Take ids out of step names", result.Fail.StatusCodes.Single().Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Status_codes_past_the_hundredth_are_counted_together()
    {
        var result = await Runs.OneAsync(Runs.Iterations(1, 5_000, context =>
            Task.FromResult<IResponse>(
                Response.Ok(context.IterationNumber.ToString(System.Globalization.CultureInfo.InvariantCulture)))));

        Assert.InRange(result.Ok.StatusCodes.Count, 1, 101);
        Assert.Equal(5_000, result.Ok.StatusCodes.Sum(code => code.Count));
    }

    /// <summary>Waits before and after each step, as an engine does that is compiled at its first use.</summary>
    private sealed class SlowHost : ILoadEngine, IStepHost
    {
        public static TimeSpan Pause { get; } = TimeSpan.FromMilliseconds(150);

        public string Name => "slow host";

        public async Task<IReadOnlyList<string>> DriveAsync(
            IReadOnlyList<DrivenScenario> scenarios, CancellationToken cancellationToken)
        {
            while (await scenarios[0].RunIterationAsync(this) is not null)
            {
            }

            return [];
        }

        public async Task RunAsync(string name, Func<Task<IResponse>> run)
        {
            await Task.Delay(Pause);
            await run();
            await Task.Delay(Pause);
        }
    }
}
