using LoadTesting.Core.Reporting.Live;

namespace UnitTests.LoadTesting.Reporting;

/// <summary>The view of a run while it goes on.</summary>
public sealed class ProgressTests
{
    private static readonly DateTimeOffset Noon = new(2026, 3, 17, 12, 0, 0, TimeSpan.Zero);

    private static RunProgressSnapshot Sample { get; } = new()
    {
        Process = new ProcessOwner(4711, 1_700_000_000),
        Machine = "m1",
        BootId = "b1",
        StartedUtc = Noon,
        UpdatedUtc = Noon,
        Subject = "postgres-payment-journey-xl",
        Stage = RunStage.Measuring,
        StageSeconds = 12,
        Scenarios =
        [
            new()
            {
                Name = "postgres-payment-journey-xl", ElapsedSeconds = 12, PlannedSeconds = 20, IntendedPerSecond = 100,
                StartedPerSecond = 99.4, Started = 1_200, Completed = 1_190, Failed = 2, InFlight = 8, P50Ms = 3.14,
                P95Ms = 9.5, LagP99Ms = 0.25,
            },
        ],
        Backlog = 3,
        Cpu = new TimelineCpu(0.34, null, null, null),
        Passed = 4,
        Inconclusive = 1,
    };

    [Theory]
    [InlineData(
        110,
        "postgres-payment-journey-xl: measuring for 12s",
        "scenario                     rate/s   of  p50 ms  p95 ms  errors  dropped  in flight   done  left",
        "postgres-payment-journey-xl      99  100    3.14    9.50       2        0          8  1,190    8s",
        "generator ok, lag p99 0.25 ms, cpu 34 %, backlog 3",
        "5 scenarios so far: 4 passed, 0 failed, 1 inconclusive")]
    [InlineData(
        60,
        "postgres-payment-journey-xl: measuring for 12s",
        "scenario                rate/s  p50 ms  p95 ms  errors  left",
        "postgres-payment-jour…      99    3.14    9.50       2    8s",
        "generator ok, lag p99 0.25 ms, cpu 34 %, backlog 3",
        "5 scenarios so far: 4 passed, 0 failed, 1 inconclusive")]
    [InlineData(
        24,
        "postgres-payment-journe…",
        "scenario    p95 ms  left",
        "postgres-…    9.50    8s",
        "generator ok, lag p99 0…",
        "5 scenarios so far: 4 p…")]
    public void Table_has_the_columns_that_its_width_holds(int width, params string[] expected)
    {
        var lines = ProgressText.Table(Sample, width, isColoured: false);

        Assert.Equal(expected, lines);
        Assert.All(lines, line => Assert.InRange(line.Length, 1, width));
    }

    [Fact]
    public void Colour_is_for_what_is_wrong_and_adds_nothing_but_colour()
    {
        var plain = ProgressText.Table(Sample, 80, isColoured: false);
        var coloured = ProgressText.Table(Sample, 80, isColoured: true);

        Assert.DoesNotContain(plain, line => line.Contains('\u001b', StringComparison.Ordinal));
        Assert.StartsWith("\u001b[31m", coloured[2], StringComparison.Ordinal);
        Assert.Equal(
            plain, coloured.Select(line => System.Text.RegularExpressions.Regex.Replace(line, "\u001b\\[[0-9]+m", "")));
    }

    [Fact]
    public void Line_of_a_log_has_no_escape_sequence_and_says_all_of_it()
    {
        var line = Assert.Single(ProgressText.Lines(Sample));

        Assert.Equal(
            "postgres-payment-journey-xl: measuring for 12s, 99/s of 100/s, p50 3.14 ms, p95 9.50 ms, 1,190 done, 2 "
                + "errors, 0 dropped, 8 in flight, generator ok, lag p99 0.25 ms, cpu 34 %, backlog 3, 8s left",
            line);
        Assert.Equal("soak: preparing for 1:05", Assert.Single(ProgressText.Lines(
            Sample with { Subject = "soak", Stage = RunStage.Preparing, StageSeconds = 65, Scenarios = [] })));
        Assert.Equal(
            "waiting for process 7 (IntegrationTests, shared) to end, 1:05 so far", Assert.Single(ProgressText.Lines(
            Sample with { Subject = "process 7 (IntegrationTests, shared)", Stage = RunStage.Waiting, StageSeconds = 65,
                Scenarios = [] })));
    }

    [Theory]
    [InlineData(null, 100, 99.0, 1.0, 0.3)]
    [InlineData("behind", 100, 60.0, 1.0, 0.3)]
    [InlineData("late", 100, 99.0, 30.0, 0.3)]
    [InlineData("processors busy", 100, 99.0, 1.0, 0.9)]
    public void Generator_that_may_be_the_limit_is_named(
        string? expected, double intended, double started, double lag, double cpu) =>
        Assert.Equal(expected, (Sample with
        {
            Cpu = new TimelineCpu(cpu, null, null, null),
            Scenarios =
                [Sample.Scenarios[0] with { IntendedPerSecond = intended, StartedPerSecond = started, LagP99Ms = lag }],
        }).GeneratorTrouble());

    [Fact]
    public void Time_left_is_the_clocks_or_that_of_the_iterations_left()
    {
        var closed = Sample.Scenarios[0] with { PlannedSeconds = null, PlannedIterations = 1_788 };

        Assert.Equal(8, Sample.Scenarios[0].RemainingSeconds());
        Assert.Equal(6, closed.RemainingSeconds()!.Value, 6);
        Assert.Null((closed with { Completed = 0, Failed = 0 }).RemainingSeconds());
    }

    [Fact]
    public void Table_is_written_over_and_what_is_printed_stands_above_it()
    {
        var text = new StringWriter();
        var table = new ProgressTable(text, () => 100, isColoured: false);

        table.Show(Sample with { Scenarios = [], Passed = 0, Inconclusive = 0 });
        table.Print("PASSED");
        table.Show(Sample with { State = RunState.Ended });
        table.Dispose();

        const string title = "postgres-payment-journey-xl: measuring for 12s\n";
        Assert.Equal($"{title}\u001b[1A\u001b[0JPASSED\n{title}\u001b[1A\u001b[0J", text.ToString());
    }

    [Fact]
    public void Progress_lines_come_every_five_seconds()
    {
        var lines = new List<string>();
        var log = new ProgressLines(lines.Add);

        for (var second = 0; second <= 13; second++)
        {
            log.Show(Sample with { UpdatedUtc = Noon.AddSeconds(second), StageSeconds = second });
        }

        log.Show(Sample with { UpdatedUtc = Noon.AddSeconds(14), Subject = "other" });

        Assert.Equal(2, lines.Count);
        Assert.Contains("measuring for 5s", lines[0], StringComparison.Ordinal);
        Assert.Contains("measuring for 10s", lines[1], StringComparison.Ordinal);
    }

    [Fact]
    public void Closed_output_is_reported_and_the_others_continue()
    {
        using var metrics = new LoadMetrics();
        var progress = new RunProgress(metrics);
        var good = new Counted();
        var display = new ProgressDisplay(progress, [new Closed(), good], TimeSpan.FromMilliseconds(1));
        SpinWait.SpinUntil(() => good.Shown > 2, TimeSpan.FromSeconds(60));
        display.Dispose();

        Assert.Equal("progress is no longer shown: Broken pipe", Assert.Single(display.Failures));
        Assert.True(good is { Shown: > 2, IsDisposed: true });
    }

    [Fact]
    public async Task Finished_load_is_shown_until_it_has_a_result()
    {
        using var metrics = new LoadMetrics();
        var progress = new RunProgress(metrics);
        var planned = Runs.Scenario() with { Name = "memory-short", Operations = 12 };
        progress.Plan([planned]);

        await new LoadRunner().RunAsync(
            [
                Scenario.Create("memory-short", async context =>
                {
                    await Task.Delay(5, context.ScenarioCancellationToken);
                    return Response.Ok();
                }).WithLoadSimulations(Simulation.IterationsForConstant(4, 12)),
            ],
            new LoadOptions { Metrics = progress.Metrics }, Cancel);

        var run = progress.Read();
        var seen = Assert.Single(run.Scenarios);
        Assert.Equal((12, 12, 0, 0), (seen.Started, seen.Completed, seen.Failed, seen.InFlight));
        Assert.InRange(seen.P50Ms!.Value, 4, 10_000);
        Assert.Equal(12, Assert.Single(run.Partial).Latency.N);
        progress.Plan([planned]);
        Assert.Empty(progress.Read().Scenarios);
        progress.Add(Runs.Of(planned));
        Assert.Empty(progress.Read().Scenarios);
    }

    [Fact]
    public void Stage_results_and_end_are_those_that_were_reported()
    {
        using var metrics = new LoadMetrics();
        var progress = new RunProgress(metrics);
        progress.WaitFor("process 7");
        Assert.Equal((RunStage.Waiting, "process 7"), (progress.Read().Stage, progress.Read().Subject));
        progress.WaitFor(null);
        Assert.Equal((RunStage.Preparing, null), (progress.Read().Stage, progress.Read().Subject));
        progress.Enter(RunStage.Preparing, "memory-a");
        progress.Enter(RunStage.Measuring);
        Assert.Equal((RunStage.Measuring, "memory-a"), (progress.Read().Stage, progress.Read().Subject));
        progress.Add(Runs.Of(Runs.Scenario() with { Verdict = new(VerdictOutcome.Failed, []) }));
        progress.End(RunState.Interrupted);
        progress.End(RunState.Ended);

        Assert.True(progress.Read() is { State: RunState.Interrupted, Subject: null, Failed: 1, Passed: 0 });
    }

    private sealed class Closed : IProgressOutput
    {
        public void Show(RunProgressSnapshot run) => throw new IOException("Broken pipe");

        public void Dispose()
        {
        }
    }

    private sealed class Counted : IProgressOutput
    {
        public int Shown { get; private set; }

        public bool IsDisposed { get; private set; }

        public void Show(RunProgressSnapshot run) => Shown++;

        public void Dispose() => IsDisposed = true;
    }
}
