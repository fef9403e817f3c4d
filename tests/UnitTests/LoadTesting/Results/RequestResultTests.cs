using LoadTesting.Core.Reporting;
using LoadTesting.Core.Reporting.Markdown;
using LoadTesting.Core.Reporting.Tables;

namespace UnitTests.LoadTesting.Results;

[Collection(Load.TimedCollection.Name)]
public sealed class RequestResultTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    /// <summary>The rate of a ramp would understate the load and overstate the reserve of its generator.</summary>
    [Fact]
    [JudgesRealTime]
    public Task Rate_of_a_load_that_rises_first_is_that_of_all_its_users() => RealTime.HoldsAsync(async () =>
    {
        var measured = await RunAsync(Simulation.RampingConstant(20, Second), Simulation.KeepConstant(20, 2 * Second));

        var (held, overall) = (RequestResult.RateOf(measured, Second), RequestResult.RateOf(measured, TimeSpan.Zero));

        // 20 users at 20 ms make 1,000 a second at most, and half of that on average while they come.
        Assert.InRange(held, 1.08 * overall, 1_100);
        Assert.Equal(measured.Ok.Count / measured.Duration.TotalSeconds, overall, 6);
    });

    [Fact]
    public async Task Requests_are_all_steps_and_failures_are_apart()
    {
        var measured = await RunAsync(Simulation.IterationsForConstant(4, 40));

        var requests = RequestResult.Of(measured, measured.Timeline, TimeSpan.Zero);

        Assert.Equal((80, 10, 70), (requests.Count, requests.Failed, requests.Latency.N));
        var sum = RequestResult.SumOf([requests, requests])!;
        Assert.Equal((160, 20, 140), (sum.Count, sum.Failed, sum.Latency.N));
        Assert.Equal(requests.Latency.MaxMs, sum.Latency.MaxMs);
        Assert.Equal((7_000L, 280L), (requests.ReceivedBytes!.Value, requests.SentBytes!.Value));
        Assert.Equal((14_000L, 560L), (sum.ReceivedBytes!.Value, sum.SentBytes!.Value));
        var older = RequestResult.SumOf([requests, requests with { SentBytes = null }])!;
        Assert.Equal((14_000L, null), (older.ReceivedBytes, older.SentBytes));
        Assert.Null(RequestResult.SumOf([requests, null]));
    }

    [Fact]
    public void Summary_and_terminal_show_the_columns_of_load_tests()
    {
        var scenario = Runs.Scenario() with
        {
            Requests = new()
            {
                Count = 1_000, Failed = 25, PerSecond = 8_123,
                Latency = new() { N = 975, P50Ms = 1.5, P95Ms = 12.25, MaxMs = 99 },
                PeakServiceCpu = 0.615, ReceivedBytes = 124_800, SentBytes = 39_000,
            },
            Reproduce = "dotnet test --filter A~B",
            Findings = null,
        };

        var summary = SummaryMarkdown.Render(Runs.Of(scenario));

        Assert.Contains(
            "| see the sum of the run | dotnet test --filter A~B | 1,000 | 8,123 | 2.50 % | 1.50 | 12.25 | "
                + "99.00 | 61.5 % | – | 40 | 128 |",
            summary, StringComparison.Ordinal);
        Assert.Contains("requests: 1,000, 8,123/s, 2.50 % failed", TerminalSummary.Of(scenario, "r.html"),
            StringComparison.Ordinal);
        Assert.Contains(
            "; bytes each, heads included: 40 sent, 128 received; first", RequestTable.Line(scenario),
            StringComparison.Ordinal);
        Assert.Contains(
            "; bytes each, heads included: 128 received; first", LineOf(scenario.Requests with { SentBytes = null }),
            StringComparison.Ordinal);
        Assert.DoesNotContain("bytes", LineOf(scenario.Requests with { SentBytes = null, ReceivedBytes = null }),
            StringComparison.Ordinal);
        Assert.DoesNotContain(
            "bytes", LineOf(scenario.Requests with { SentBytes = null, ReceivedBytes = 0 }), StringComparison.Ordinal);
        Assert.DoesNotContain("## Requests", SummaryMarkdown.Render(Runs.Of(Runs.Scenario() with { Requests = null })),
            StringComparison.Ordinal);

        string LineOf(RequestResult requests) => RequestTable.Line(scenario with { Requests = requests });
    }

    private static async Task<ScenarioStats> RunAsync(params LoadSimulation[] load)
    {
        var number = 0;
        var scenario = Scenario.Create("s", async context =>
        {
            await Step.Run("first", context, async () =>
            {
                await Task.Delay(load is [IterationsForConstantSimulation] ? 1 : 20);
                return (IResponse)Response.Ok(sizeBytes: 100, sentBytes: 7);
            });
            if (load is [IterationsForConstantSimulation])
            {
                var isBad = Interlocked.Increment(ref number) % 4 == 0;
                await Step.Run("second", context, () => Task.FromResult<IResponse>(
                    isBad ? Response.Fail("503", "busy", sizeBytes: 4, sentBytes: 9) : Response.Ok(sizeBytes: 100)));
            }

            return Response.Ok();
        }).WithLoadSimulations(load);
        return (await new LoadRunner()
            .RunAsync([scenario], new LoadOptions(), TestContext.Current.CancellationToken)).Scenarios[0];
    }
}
