using System.Diagnostics;
using System.Net;
using System.Runtime;
using LoadTesting.Core.Load;
using LoadTesting.Core.Load.Engines;
using LoadTesting.Core.Load.Simulations;
using LoadTesting.NBomber;
using Spectre.Console;

namespace NBomberTests;

/// <summary>
/// The adapter on NBomber, or on a stand-in that keeps to what is known of 4.1.2; nothing else runs beside it.
/// </summary>
[JudgesRealTime]
[Collection(Timed), CollectionDefinition(Timed, DisableParallelization = true)]
public sealed class NBomberLoadEngineTests : IDisposable
{
    private const string Timed = nameof(NBomberLoadEngineTests);

    private static readonly Task<IResponse> Ok = Task.FromResult<IResponse>(Response.Ok());

    private readonly string _folder = Path.Combine(Path.GetTempPath(), "nbomber-tests", $"{Guid.NewGuid():N}");

    [Fact]
    public async Task Counted_load_runs_each_operation_once()
    {
        var seen = new ConcurrentBag<long>();
        var watch = Stopwatch.StartNew();

        var load = await RunAsync(Iterations(4, 25, async context =>
        {
            seen.Add(context.IterationNumber);
            await Task.Yield();
            return Response.Ok();
        }));

        Assert.Equal(Enumerable.Range(0, 25).Select(number => (long)number), seen.Order());
        var result = load.Scenarios.Single();
        Balances(result);
        Assert.Equal((25L, 25L, 0L), (result.Requested, result.Ok.Count, result.Fail.Count));
        Assert.InRange(watch.Elapsed, TimeSpan.Zero, TimeSpan.FromMinutes(1));
        Assert.Equal("nbomber", load.Engine);
        Assert.Contains(load.Notes,
            note => note.Contains("counted 25 of 25 itself; its percentiles are not", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Loads_that_follow_each_other_do_not_overlap()
    {
        var (first, early) = (0, 0);

        var load = await RunAsync(Scenario.Create("twice", async context =>
        {
            if (context.IterationNumber >= 12 && Volatile.Read(ref first) < 12)
            {
                Interlocked.Increment(ref early);
            }

            await Task.Yield();
            Interlocked.Increment(ref first);
            return Response.Ok();
        }).WithLoadSimulations(Simulation.IterationsForConstant(3, 12), Simulation.IterationsForConstant(3, 8)));

        Assert.Equal(20, load.Scenarios.Single().Ok.Count);
        Assert.Equal(0, early);
    }

    [Fact]
    public async Task Failed_step_ends_its_iteration()
    {
        var load = await RunAsync(Iterations(2, 10, async context =>
        {
            await Step.Run("first", context, () => Task.FromResult(Response.Ok("a payload")));
            await Step.Run(
                "second", context,
                () => Task.FromResult(context.IterationNumber < 4 ? Response.Fail("503", "busy") : Response.Ok()));
            await Step.Run("third", context, () =>
                context.IterationNumber == 5
                    ? throw new TimeoutException("too slow") : Task.FromResult<IResponse>(Response.Ok()));
            return Response.Ok();
        }));

        var result = load.Scenarios.Single();
        Assert.Equal((5L, 5L), (result.Ok.Count, result.Fail.Count));
        Assert.Equal((10L, 6L, 4L),
            (result.Step("first").Ok.Count, result.Step("second").Ok.Count, result.Step("second").Fail.Count));
        Assert.Equal((5L, 1L), (result.Step("third").Ok.Count, result.Step("third").Fail.Count));
        Assert.Equal(
            [("503", 4L), (FailureCodes.UnhandledException, 1L)],
            result.Fail.StatusCodes.Select(code => (code.StatusCode, code.Count)));
        var report = File.ReadAllText(Path.Combine(_folder, "nbomber.html"));
        Assert.All(["iterations", "first", "second", "third"],
            name => Assert.Contains(name, report, StringComparison.Ordinal));
    }

    [Fact]
    public Task Load_is_observed_before_NBomber_returns() => RealTime.HoldsAsync(async () =>
    {
        var ended = 0L;
        var seen = TimeSpan.MaxValue;
        var scenario = Iterations(1, 3, async _ =>
        {
            await Task.Yield();
            ended = Stopwatch.GetTimestamp();
            return Response.Ok();
        });
        var options = new LoadOptions { WhenOver = () => Task.FromResult(seen = Stopwatch.GetElapsedTime(ended)) };

        await new LoadRunner(engine: new LateEngine(new NBomberLoadEngine(_folder)))
            .RunAsync([scenario], options, Cancel);

        Assert.InRange(seen, TimeSpan.Zero, LateEngine.Tail / 2);
    });

    [Fact]
    public async Task Too_many_failures_stop_the_load_with_the_reason()
    {
        var load = await RunAsync(Iterations(2, 1_000, async _ =>
        {
            await Task.Yield();
            return Response.Fail("500", "broken");
        }).WithMaxFailCount(9));

        Assert.Contains("WithMaxFailCount(9)", load.StopReason, StringComparison.Ordinal);
        Balances(load.Scenarios.Single());
        Assert.InRange(load.Scenarios.Single().Started, 10, 900); // Not all that were asked for.
    }

    [Fact]
    public async Task Cancelling_stops_nbomber_and_cancels_the_bodies()
    {
        using var cancel = new CancellationTokenSource();
        var bodies = 0;
        var scenario = Iterations(2, 100, async context =>
        {
            await cancel.CancelAsync();
            await Task.Delay(Timeout.Infinite, context.ScenarioCancellationToken)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            Interlocked.Increment(ref bodies);
            return Response.Ok();
        });

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => new LoadRunner(engine: new NBomberLoadEngine(_folder))
                .RunAsync([scenario], new LoadOptions(), cancel.Token));
        Assert.InRange(bodies, 1, 2);
    }

    [Fact]
    public Task Body_that_hangs_does_not_hang_the_run() => RealTime.HoldsAsync(async () =>
    {
        var scenario = Iterations(1, 5, async context =>
        {
            await Task.Delay(Timeout.Infinite, context.ScenarioCancellationToken);
            return Response.Ok();
        });

        var load = await new LoadRunner(engine: new NBomberLoadEngine(_folder)).RunAsync(
            [scenario], new LoadOptions { CompletionTimeout = TimeSpan.FromSeconds(1.5) }, Cancel);

        Assert.Contains("none has started within the completion timeout", load.StopReason, StringComparison.Ordinal);
        Assert.Equal(1, load.Scenarios.Single().Started);
        Assert.Equal(FailureCodes.OperationTimeout, load.Scenarios.Single().Fail.StatusCodes.Single().StatusCode);
    });

    [Fact]
    public Task Open_load_counts_what_was_dropped_and_claims_no_lateness() => RealTime.HoldsAsync(async () =>
    {
        var load = await RunAsync(Inject(40, TimeSpan.FromSeconds(1), async _ =>
        {
            await Task.Yield();
            return Response.Ok();
        }));

        var result = load.Scenarios.Single();
        Balances(result);
        Assert.Equal(40, result.Requested);
        Assert.InRange(result.Started, 20, 40);
        Assert.Equal(0, result.ScheduleLag.Count);
        Assert.Null(load.Health.Figures.ScheduleLagP99Ms);
        Assert.Equal(result.Ok.Count, result.Ok.Latency.Count);
        Assert.Contains(
            load.Notes, note => note.Contains("lateness of the generator is not measured", StringComparison.Ordinal));
        Assert.Contains(load.Notes, note => note.Contains(" itself; p50 ", StringComparison.Ordinal));
    });

    [Fact]
    public Task Highest_of_random_rates_is_sent_too() => RealTime.HoldsAsync(async () =>
    {
        var load = await RunAsync(Scenario.Create("random", _ => Ok).WithLoadSimulations(
            Simulation.InjectRandom(1, 2, TimeSpan.FromMilliseconds(50), TimeSpan.FromSeconds(2))));

        Assert.InRange(load.Scenarios.Single().Started, 45, 80);
        Assert.EndsWith("at random inside each interval, without a seed", load.Scenarios.Single().Simulations.Single());
    });

    [Fact]
    public Task Ramp_uses_the_rate_at_the_start_of_each_interval() => RealTime.HoldsAsync(async () =>
    {
        var load = await RunAsync(Scenario.Create("ramp", _ => Ok).WithLoadSimulations(
            Simulation.RampingInject(60, TimeSpan.FromMilliseconds(100), TimeSpan.FromSeconds(1))));

        var result = load.Scenarios.Single();
        Assert.InRange(
            result.Started, 200, 270); // 300 on the built-in engine; those of the last interval may be dropped.
        Assert.Equal(result.Started, result.Requested);
        Assert.Contains(
            load.Notes, note => note.Contains("a rising one starts fewer than the built-in", StringComparison.Ordinal));
    });

    [Fact]
    public async Task Poisson_arrivals_are_reported_as_what_nbomber_makes_of_them()
    {
        var load = await RunAsync(Scenario.Create("poisson", _ => Ok).WithLoadSimulations(
            Simulation.Inject(20, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1), ArrivalPattern.Poisson, seed: 7)));

        var model = load.Scenarios.Single().Simulations.Single();
        Assert.Equal("inject 20 per 00:00:01 for 00:00:01, at random inside each interval, without a seed", model);
        Assert.Contains(
            load.Notes, note => note.Contains("Poisson with seed 7. NBomber has no Poisson", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Report_is_where_the_notes_say_with_its_log_beside_it()
    {
        var load = await RunAsync(Iterations(1, 2, _ => Ok));

        var folder = new DirectoryInfo(_folder);
        var report = $"{folder.Parent!.Name}/{folder.Name}/nbomber.html";
        Assert.Contains(
            load.Notes, note => note.EndsWith($": {report}, with its log beside it.", StringComparison.Ordinal));
        Assert.True(File.Exists(Path.Combine(folder.Parent.Parent!.FullName, report)));
        Assert.Single(Directory.GetFiles(_folder, "nbomber-log-*.txt"));
    }

    [Fact]
    public async Task Console_is_silent_and_the_collector_is_as_it_was()
    {
        var (console, mode) = (AnsiConsole.Console, GCSettings.LatencyMode);
        using var written = new StringWriter();
        AnsiConsole.Console = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(written) });
        var (own, during) = (AnsiConsole.Console, mode);
        try
        {
            await RunAsync(Iterations(1, 2, _ =>
            {
                during = GCSettings.LatencyMode;
                return Ok;
            }));

            Assert.Same(own, AnsiConsole.Console);
            Assert.Equal("", written.ToString());
            Assert.Equal((GCLatencyMode.SustainedLowLatency, mode), (during, GCSettings.LatencyMode));
        }
        finally
        {
            AnsiConsole.Console = console;
        }
    }

    [Fact]
    public async Task Refusal_of_nbomber_reaches_the_caller_with_its_name()
    {
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => RunAsync(
            Scenario.Create("short", _ => Ok)
                .WithLoadSimulations(Simulation.KeepConstant(1, TimeSpan.FromMilliseconds(200)))));

        Assert.Contains("Load engine 'nbomber' failed", error.Message, StringComparison.Ordinal);
        Assert.Contains("00:00:00.2", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Changing_copies_between_counted_loads_are_refused()
    {
        var error = await Assert.ThrowsAsync<NotSupportedException>(() => RunAsync(Scenario.Create("changing", _ => Ok)
            .WithLoadSimulations(Simulation.IterationsForConstant(1, 4), Simulation.IterationsForConstant(2, 4))));

        Assert.Contains("'changing' changes its copies (1, 2)", error.Message, StringComparison.Ordinal);
        Assert.Contains("use the built-in one", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Failed_NBomber_http_request_keeps_its_answer()
    {
        using var handler = new ConflictHandler();
        using var client = new HttpClient(handler);
        using var request = new HttpRequestMessage(HttpMethod.Post, "http://payments.test/api/payment/create");

        using var answer = await new NBomberLoadEngine(_folder).SendAsync(client, request, Cancel);

        Assert.Equal(HttpStatusCode.Conflict, answer.StatusCode);
        Assert.Equal("taken", await answer.Content.ReadAsStringAsync(Cancel));
    }

    public void Dispose()
    {
        if (Directory.Exists(_folder))
        {
            Directory.Delete(_folder, recursive: true);
        }
    }

    private sealed class ConflictHandler : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request, CancellationToken cancellationToken) =>
            Task.FromResult(new HttpResponseMessage(HttpStatusCode.Conflict) { Content = new StringContent("taken") });
    }

    /// <summary>NBomber takes three seconds to end; the stand-in takes none.</summary>
    private sealed class LateEngine(ILoadEngine engine) : ILoadEngine
    {
        public static readonly TimeSpan Tail = TimeSpan.FromSeconds(1);

        public string Name => engine.Name;

        public async Task<IReadOnlyList<string>> DriveAsync(
            IReadOnlyList<DrivenScenario> scenarios, CancellationToken cancellationToken)
        {
            var notes = await engine.DriveAsync(scenarios, cancellationToken);
            await Task.Delay(Tail, cancellationToken);
            return notes;
        }
    }

    private static ScenarioProps Iterations(int copies, long iterations, Func<IScenarioContext, Task<IResponse>> run) =>
        Scenario.Create("iterations", run).WithLoadSimulations(Simulation.IterationsForConstant(copies, iterations));

    private static ScenarioProps Inject(int rate, TimeSpan during, Func<IScenarioContext, Task<IResponse>> run) =>
        Scenario.Create("inject", run)
            .WithLoadSimulations(
                Simulation.Inject(rate, TimeSpan.FromSeconds(Math.Min(1, during.TotalSeconds)), during));

    private static void Balances(ScenarioStats result)
    {
        Assert.Equal(result.Requested, result.Started + result.Dropped);
        Assert.Equal(result.Started, result.Ok.Count + result.Fail.Count + result.Unfinished);
    }

    private Task<LoadResult> RunAsync(ScenarioProps scenario) =>
        new LoadRunner(engine: new NBomberLoadEngine(_folder))
            .RunAsync([scenario], new LoadOptions(), Cancel);
}
