using System.Diagnostics;
using System.Net.Sockets;
using LoadTesting.Core.Agents;
using LoadTesting.Core.Load;
using static UnitTests.LoadTesting.Agents.AgentTests;

namespace UnitTests.LoadTesting.Agents;

public sealed class AgentTests
{
    internal const string Token = "0123456789abcdef";
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    /// <summary>Longer than what somebody unknown may send.</summary>
    private static readonly string Load = new('l', 50_000);

    /// <summary>Every kind of open load, with rates that no number of agents divides.</summary>
    public static TheoryData<string> OpenLoads { get; } = [.. Open.Keys];

    private static Dictionary<string, LoadSimulation[]> Open => new()
    {
        ["even"] = [Simulation.Inject(97, Second, 3.3 * Second)],
        ["poisson"] = [Simulation.Inject(97, Second, 3 * Second, ArrivalPattern.Poisson, seed: 7)],
        ["ramps"] = [Simulation.RampingInject(50, Second, 2 * Second), Simulation.RampingInject(11, Second, Second)],
        ["random"] = [Simulation.InjectRandom(3, 40, Second, 5 * Second, seed: 3)],
        ["number"] = [Simulation.IterationsForInject(30, Second, 101)],
    };

    [Theory]
    [MemberData(nameof(OpenLoads))]
    public void Parts_of_an_open_load_are_together_its_schedule_to_the_tick(string kind)
    {
        var whole = Scenario.Create("s", _ => Task.FromResult<IResponse>(Response.Ok())).WithLoadSimulations(Open[kind]);

        for (var simulation = 0; simulation < whole.LoadSimulations.Count; simulation++)
        {
            var parts = Enumerable.Range(0, 4).SelectMany(index => Arrivals(whole.ShareOf(index, 4).LoadSimulations[simulation]));

            Assert.Equal(Arrivals(whole.LoadSimulations[simulation]), parts.Order());
        }
    }

    [Fact]
    public void Parts_of_a_closed_load_add_up_and_too_many_agents_are_refused()
    {
        var whole = Scenario.Create("s", _ => Task.FromResult<IResponse>(Response.Ok())).WithMaxFailCount(10).WithLoadSimulations(
            Simulation.RampingConstant(10, Second), Simulation.KeepConstant(10, Second), Simulation.IterationsForConstant(7, 1_001));

        var parts = Enumerable.Range(0, 4)
            .Select(index => whole.ShareOf(index, 4).LoadSimulations.Cast<ClosedSimulation>().ToList()).ToList();

        Assert.Equal([10, 10, 7], Enumerable.Range(0, 3).Select(place => parts.Sum(part => part[place].Copies)));
        Assert.Equal(1_001, parts.Sum(part => ((IterationsForConstantSimulation)part[2]).Iterations));
        Assert.Contains("use 7 agents at most", Assert.Throws<ArgumentException>(() => whole.ShareOf(0, 8)).Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => whole.ShareOf(4, 4));
    }

    [Fact]
    public async Task What_agents_measured_adds_up_to_the_unit_and_is_judged_as_one()
    {
        var run = await RunAsync(3, index => Counted(failsEvery: 10).WithThresholds(
            Threshold.AtMost("failed", 30), Threshold.AtMost("p50Ms", 0.0001)));

        var stats = Assert.Single(run.Scenarios);
        Assert.Equal((300, 300, 0), (stats.Requested, stats.Started, stats.Dropped));
        Assert.Equal((270, 30), (stats.Ok.Count, stats.Fail.Count));
        Assert.Equal((270, 30), (stats.Ok.Latency.Count, stats.Fail.Latency.Count));
        Assert.Equal((300, 300 * 3), (stats.Step("one").Ok.Count, stats.Step("one").Ok.SentBytes));
        Assert.Equal(270 * 5, stats.Ok.SizeBytes);
        Assert.Equal((5, 270), (stats.Ok.Sizes.MaxBytes, stats.Ok.Sizes.Count));
        Assert.Equal((300, 270, 30), (stats.Timeline.Points.Sum(p => p.Started), stats.Timeline.Points.Sum(p => p.Completed),
            stats.Timeline.Points.Sum(p => p.Failed)));
        Assert.Equal(("503", "busy", 30), (stats.Errors[0].Code, stats.Errors[0].Message, stats.Errors[0].Count));
        Assert.Equal([ThresholdOutcome.Passed, ThresholdOutcome.Failed], stats.Thresholds.Select(threshold => threshold.Outcome));
        Assert.Equal("300 iterations, 6 at a time", Assert.Single(stats.Simulations));
        Assert.Equal([100, 100, 100], run.Agents.Select(agent => agent.Requested));
        Assert.All(run.Agents, agent => Assert.InRange(Math.Abs(agent.ClockDifferenceMs), 0, agent.ClockErrorMs + 5));
    }

    /// <summary>Of the two agents neither misses the limit; both together do.</summary>
    [Fact]
    public async Task Rule_that_stops_a_run_looks_at_the_seconds_of_all_agents_together()
    {
        var run = await RunAsync(2, _ => Endless().WithThresholds(
            Threshold.AtMost("throughputPerSecond", 70).AbortWhen(2), Threshold.AtMost("failed", 1).AbortWhen(1)));

        const string Rule = "scenario 's': 2 seconds missed the threshold throughputPerSecond <= 70, the last one, from ";
        Assert.StartsWith(Rule, run.StopReason, StringComparison.Ordinal);
        Assert.StartsWith(Rule, run.Scenarios[0].StopReason, StringComparison.Ordinal);
        Assert.False(run.IsInterrupted);
        Assert.Equal(run.Scenarios[0].Requested, run.Scenarios[0].Started + run.Scenarios[0].Dropped);
        Assert.InRange(run.Duration, 2 * Second, TimeSpan.FromMinutes(9));
    }

    [Fact]
    public async Task Secret_of_coordinator_and_agents_follows_from_the_token_and_is_not_what_proves_it()
    {
        await using var coordinator = new AgentCoordinator(Options(1));
        await using var other = new AgentCoordinator(Options(1) with { Token = "fedcba9876543210" });
        var secrets = new List<string>();
        var agent = LoadAgent.RunAsync(
            new() { Host = "127.0.0.1", Port = coordinator.Port, Token = Token },
            (part, _) =>
            {
                secrets.Add(part.Secret);
                return Task.FromResult(new AgentLoad([Counted()]));
            },
            Cancel);
        await coordinator.RunAsync("", [Counted()], Cancel);
        await coordinator.DisposeAsync();
        await agent;

        Assert.Equal([coordinator.Secret], secrets);
        Assert.Matches("^[0-9A-F]{64}$", coordinator.Secret);
        Assert.NotEqual(coordinator.Secret, other.Secret);
    }

    [Fact]
    public async Task Agent_whose_part_ends_early_by_a_rule_of_its_own_ends_those_of_the_others()
    {
        var run = await RunAsync(2, index => Endless(index == 0 ? int.MaxValue : 0).WithMaxFailCount(9));

        Assert.StartsWith("agent-0: scenario 's': 10 failed iterations are more than WithMaxFailCount(9) allows", run.StopReason,
            StringComparison.Ordinal);
        Assert.False(run.IsInterrupted);
        Assert.InRange(run.Duration, TimeSpan.Zero, TimeSpan.FromMinutes(9));
    }

    /// <summary>Neither of the two fails so often by itself.</summary>
    [Fact]
    public async Task Failures_of_all_agents_together_end_the_run()
    {
        var run = await RunAsync(2, _ => Endless(failures: 60).WithMaxFailCount(90));

        Assert.Matches(
            "^scenario 's': [0-9]+ failed iterations of all agents are more than WithMaxFailCount\\(90\\) allows$", run.StopReason);
        Assert.InRange(run.Duration, TimeSpan.Zero, TimeSpan.FromMinutes(9));
    }

    [Fact]
    public async Task Agent_may_fail_as_often_as_the_whole_load_may()
    {
        var run = await RunAsync(3, index => (index == 0 ? Counted(failsEvery: 10) : Counted()).WithMaxFailCount(12));

        Assert.Equal((null, 10), (run.StopReason, run.Scenarios[0].Fail.Count));
    }

    [Fact]
    public async Task Figures_of_all_agents_are_published_together_while_they_run()
    {
        using var metrics = new LoadMetrics();
        await using var coordinator = new AgentCoordinator(Options(2));
        var agents = Enumerable.Range(0, 2).Select(place => Agent(coordinator, $"agent-{place}", _ => [Endless()])).ToList();
        using var interruption = new CancellationTokenSource();
        var divided = await coordinator.PrepareAsync("", [Endless()], Cancel);
        var driving = divided.DriveAsync(
            [], waitForIdle: null, source: null, new() { Metrics = metrics, Interruption = interruption.Token }, Cancel);
        await Eventually.HoldsAsync(
            () => driving.IsCompleted || metrics.ReadRunning().Scenarios is [{ Completed: > 200 }], "figures of the load");
        var seen = Assert.Single(metrics.ReadRunning().Scenarios);
        await interruption.CancelAsync();

        var (load, _) = await driving;
        await coordinator.DisposeAsync();
        await Task.WhenAll(agents);

        Assert.Equal(("s", 600), (seen.Name, seen.PlannedSeconds));
        Assert.InRange(seen.ElapsedSeconds, 2, 600);
        Assert.InRange(seen.Completed, 200, load.Scenarios[0].Ok.Count);
        Assert.Equal(seen.Completed, seen.Latency!.Count);
        Assert.True(seen.IntendedPerSecond > 0);
        Assert.Empty(metrics.ReadRunning().Scenarios);
        Assert.Equal(
            load.Scenarios[0].Ok.Count,
            metrics.Read(LoadMetrics.All.Single(metric => metric.Instrument == "load.iterations.completed")).Single().Value);
    }

    /// <summary>As of a run without agents: who looks at a load looks at all of it.</summary>
    [Fact]
    public async Task Intervals_of_all_agents_add_up_to_the_result_and_who_is_given_them_may_end_the_load()
    {
        var intervals = new List<LoadInterval>();
        await using var coordinator = new AgentCoordinator(Options(2));
        var agents = Enumerable.Range(0, 2).Select(place => Agent(coordinator, $"agent-{place}", _ => [Endless(failures: 5)])).ToList();
        var divided = await coordinator.PrepareAsync("", [Endless()], Cancel);

        var (load, _) = await divided.DriveAsync(
            [], waitForIdle: null, source: null, new() { Interval = 2 * Second, OnInterval = Look }, Cancel);
        await coordinator.DisposeAsync();
        await Task.WhenAll(agents);

        var all = load.Scenarios[0];
        Assert.Equal(("seen enough", false), (load.StopReason, load.IsInterrupted));
        Assert.Equal((all.Ok.Count, 10, 10), (intervals.Sum(interval => interval.Scenarios[0].Ok.Count), all.Fail.Count,
            intervals.Sum(interval => interval.Scenarios[0].Fail.Count)));
        Assert.Equal(
            all.Ok.Latency.ToSparseString(),
            LatencyHistogram.MergeAll(intervals.Select(interval => interval.Scenarios[0].Ok.Latency)).ToSparseString());
        Assert.Equal([2 * Second, 4 * Second], intervals.Take(2).Select(interval => interval.To));
        Assert.Equal(
            [TimeSpan.Zero, .. intervals.SkipLast(1).Select(interval => interval.To)], intervals.Select(interval => interval.From));
        Assert.Equal([intervals[^1]], intervals.Where(interval => interval.IsLast));
        Assert.Equal(load.Duration, intervals[^1].To);

        void Look(LoadInterval interval)
        {
            intervals.Add(interval);
            if (interval is { IsLast: false } && intervals.Count == 2)
            {
                interval.StopCurrentTest("seen enough");
            }
        }
    }

    /// <summary>Seconds of one agent that ran for longer stand for two each.</summary>
    [Fact]
    public void Timelines_of_unlike_resolution_add_up_in_the_coarser_one()
    {
        var (fine, coarse) = (new Timeline(), new Timeline());
        fine.At(5 * Stopwatch.Frequency).Started = 3;
        fine.At(6 * Stopwatch.Frequency).Started = 4;
        coarse.At(700 * Stopwatch.Frequency).Started = 5;
        coarse.At(7 * Stopwatch.Frequency).Started = 6;

        var merged = Timeline.Of([fine.ToSeconds(), coarse.ToSeconds()], origin: 0).ToResult(null, null);

        Assert.Equal(2_000, merged.IntervalMs);
        Assert.Equal([(4_000, 3), (6_000, 10), (700_000, 5)],
            merged.Points.Where(point => point.Started > 0).Select(point => (point.TMs, point.Started)));
    }

    [Fact]
    public async Task Agent_that_cannot_prepare_fails_the_run_by_its_name()
    {
        var error = await Assert.ThrowsAsync<AgentException>(() => RunAsync(
            2, index => Counted().WithInit(_ => index == 1 ? throw new InvalidOperationException("no disk") : Task.CompletedTask)));

        Assert.Contains("Agent 'agent-1'", error.Message, StringComparison.Ordinal);
        Assert.Contains("no disk", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("fedcba9876543210", "agent-9", "its token is another")]
    [InlineData(Token, "agent-0", "another agent is called 'agent-0'")]
    public async Task Stranger_and_namesake_are_refused_and_the_coordinator_says_who_is_missing(string token, string name, string why)
    {
        var time = new ManualTime();
        await using var coordinator = new AgentCoordinator(Options(2) with { JoinTimeout = Second, TimeProvider = time });
        var run = coordinator.RunAsync("", [Counted()], Cancel);
        var first = Agent(coordinator, "agent-0", _ => [Counted()]);
        await Eventually.HoldsAsync(() => coordinator.Joined == 1, "the first agent");

        var refused = await Assert.ThrowsAsync<AgentException>(() => Agent(coordinator, name, _ => [Counted()], token));
        time.Advance(Second);
        var missing = await Assert.ThrowsAsync<AgentException>(() => run);

        Assert.Contains(why, refused.Message, StringComparison.Ordinal);
        Assert.Contains("1 of 2 agents came", missing.Message, StringComparison.Ordinal);
        Assert.Contains("agent-0", missing.Message, StringComparison.Ordinal);
        Assert.Contains(why, missing.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<AgentException>(() => first);
    }

    [Fact]
    public async Task Clock_of_an_agent_may_be_an_hour_off_and_one_that_falls_silent_is_named()
    {
        var time = new ManualTime();
        await using var coordinator = new AgentCoordinator(Options(1) with { SilenceTimeout = Second, TimeProvider = time });
        var run = coordinator.RunAsync("", [Counted()], Cancel);
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync("127.0.0.1", coordinator.Port, Cancel);
        using var channel = new AgentChannel(socket) { IsTrusted = true };
        var hello = await channel.ReceiveAsync(Cancel);
        await channel.SendAsync(
            new(AgentMessageKind.Join) { Name = "slow clock", Nonce = "n", Proof = AgentChannel.Proof(Token, "agent", hello.Nonce!) }, Cancel);
        Assert.Equal(AgentMessageKind.Welcome, (await channel.ReceiveAsync(Cancel)).Kind);
        Assert.Equal(AgentMessageKind.Prepare, (await channel.ReceiveAsync(Cancel)).Kind);
        await channel.SendAsync(new(AgentMessageKind.Ready), Cancel);
        const long Ahead = 3_600_000_000_000;
        AgentMessage message;
        while ((message = await channel.ReceiveAsync(Cancel)).Kind == AgentMessageKind.Ping)
        {
            await channel.SendAsync(
                new(AgentMessageKind.Pong)
                {
                    Nanoseconds = StopwatchTime.ToNanoseconds(Stopwatch.GetTimestamp()) + Ahead, UtcTicks = 0,
                },
                Cancel);
        }

        var start = message.Nanoseconds - Ahead - StopwatchTime.ToNanoseconds(Stopwatch.GetTimestamp());
        await Eventually.HoldsAsync(
            () =>
            {
                time.Advance(Second);
                return run.IsCompleted;
            },
            "the silent agent to be given up");
        var error = await Assert.ThrowsAsync<AgentException>(() => run);

        // The hour is not in it; how long the message was on its way is.
        Assert.Equal(AgentMessageKind.Start, message.Kind);
        Assert.InRange(start, -60_000_000_000, 10_000_000_000);
        Assert.Contains("'slow clock'", error.Message, StringComparison.Ordinal);
        Assert.Contains("silent for 1 s", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0, Token, "0 agents")]
    [InlineData(1, "short", "5 characters")]
    public void Options_that_cannot_be_used_are_refused(int agents, string token, string why) => Assert.Contains(
        why, Assert.Throws<ArgumentException>(() => new AgentCoordinator(Options(agents) with { Token = token })).Message,
        StringComparison.Ordinal);

    internal static CoordinatorOptions Options(int agents) => new() { Agents = agents, Token = Token };

    internal static Task Agent(
        AgentCoordinator coordinator, string name, Func<string, IReadOnlyList<ScenarioProps>> resolve, string token = Token) =>
        LoadAgent.RunAsync(
            new() { Host = "127.0.0.1", Port = coordinator.Port, Token = token, Name = name }, resolve, Cancel);

    private static async Task<LoadResult> RunAsync(int agents, Func<int, ScenarioProps> scenario)
    {
        await using var coordinator = new AgentCoordinator(Options(agents));
        var run = coordinator.RunAsync(Load, [scenario(0)], Cancel);
        var taking = new List<Task>();
        for (var index = 0; index < agents; index++)
        {
            var place = index;
            taking.Add(Agent(coordinator, $"agent-{place}", text =>
            {
                Assert.Equal(Load, text);
                return [scenario(place)];
            }));
        }

        try
        {
            var result = await run;
            await coordinator.DisposeAsync();
            await Task.WhenAll(taking);
            return result;
        }
        finally
        {
            await Task.WhenAll(taking).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>300 iterations, of which each agent's every so-manieth fails.</summary>
    internal static ScenarioProps Counted(int failsEvery = int.MaxValue)
    {
        var number = 0;
        return Scenario.Create("s", async context =>
        {
            await Step.Run("one", context, async () =>
            {
                await Task.Delay(1);
                return (IResponse)Response.Ok(sentBytes: 3);
            });
            return Interlocked.Increment(ref number) % failsEvery == 0 ? Response.Fail("503", "busy") : Response.Ok(sizeBytes: 5);
        }).WithLoadSimulations(Simulation.IterationsForConstant(6, 300));
    }

    private static ScenarioProps Endless(int failures = 0)
    {
        var number = 0;
        return Scenario.Create(
                "s", _ => Task.FromResult<IResponse>(Interlocked.Increment(ref number) > failures ? Response.Ok() : Response.Fail("500")))
            .WithLoadSimulations(Simulation.Inject(100, Second, TimeSpan.FromMinutes(10)));
    }

    private static List<long> Arrivals(LoadSimulation simulation)
    {
        var (schedule, arrivals) = (ArrivalSchedule.Create((OpenSimulation)simulation), new List<long>());
        while (schedule.TryNext(out var offset))
        {
            arrivals.Add(offset);
        }

        return arrivals;
    }
}

/// <summary>Who comes to a coordinator, and to whom an agent comes.</summary>
public sealed class AgentReceptionTests
{
    /// <summary>A silent one, one that speaks another language, one whose message is none, and one with another histogram.</summary>
    [Fact]
    public async Task Strangers_delay_no_agent_and_each_is_refused_with_its_address()
    {
        var (time, refused) = (new ManualTime(), new ConcurrentQueue<string>());
        await using var coordinator = new AgentCoordinator(
            Options(2) with { JoinTimeout = TimeSpan.FromHours(1), TimeProvider = time, Refused = refused.Enqueue });
        var run = coordinator.RunAsync("", [Counted()], Cancel);
        using var slow = await StrangerAsync(coordinator, "");
        await slow.ReceiveAsync(new byte[1], Cancel);
        time.Advance(AgentReception.HandshakeTimeout);
        using var silent = await StrangerAsync(coordinator, "");
        using var web = await StrangerAsync(coordinator, "GET / HTTP/1.1\r\n\r\n");
        using var nothing = await StrangerAsync(coordinator, Message("null"));
        using var broken = await StrangerAsync(
            coordinator, Message("""{"Kind":"Join","Seconds":[{"Seconds":[{"Latency":"llh9"}]}]}"""));
        await Eventually.HoldsAsync(() => refused.Count == 4, "four strangers to be refused");
        var agents = Enumerable.Range(0, 2).Select(place => Agent(coordinator, $"agent-{place}", _ => [Counted()])).ToList();

        Assert.Equal(300, (await run).Scenarios[0].Requested);
        await coordinator.DisposeAsync();
        await Task.WhenAll(agents);

        Assert.Equal(
            new[]
            {
                $"{slow.LocalEndPoint} was refused: it did not join in time.",
                $"{web.LocalEndPoint} was refused: it sent something else than a message.",
                $"{nothing.LocalEndPoint} was refused: it sent nothing as a message.",
                $"{silent.LocalEndPoint} was refused: all agents have come.",
            }.Order(),
            refused.Where(sentence => !sentence.StartsWith($"{broken.LocalEndPoint}", StringComparison.Ordinal)).Order());
        Assert.Contains("was refused: it sent a message that cannot be read", string.Join('|', refused), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Of_too_many_that_say_nothing_the_oldest_has_to_go_and_agents_come()
    {
        var refused = new ConcurrentQueue<string>();
        await using var coordinator = new AgentCoordinator(
            Options(1) with { TimeProvider = new ManualTime(), Refused = refused.Enqueue });
        var run = coordinator.RunAsync("", [Counted()], Cancel);
        var silent = new List<Socket>();
        try
        {
            while (silent.Count <= AgentReception.MostAtOnce)
            {
                silent.Add(await StrangerAsync(coordinator, ""));
            }

            await Eventually.HoldsAsync(() => !refused.IsEmpty, "the oldest to be refused");
            var agent = Agent(coordinator, "agent", _ => [Counted()]);

            Assert.Equal(300, (await run).Scenarios[0].Requested);
            await coordinator.DisposeAsync();
            await agent;
            Assert.Equal($"{silent[0].LocalEndPoint} was refused: it had not joined when 64 others came.", refused.First());
        }
        finally
        {
            silent.ForEach(socket => socket.Dispose());
        }
    }

    /// <summary>It has the agent's nonce, and not the token.</summary>
    [Theory]
    [InlineData(nameof(AgentMessageKind.Welcome)), InlineData(nameof(AgentMessageKind.Prepare))]
    public async Task Agent_takes_no_load_from_a_stranger(string kind)
    {
        using var listener = new TcpListener(System.Net.IPAddress.Loopback, 0);
        listener.Start();
        var port = ((System.Net.IPEndPoint)listener.LocalEndpoint).Port;
        var agent = LoadAgent.RunAsync(
            new() { Host = "127.0.0.1", Port = port, Token = Token }, _ => throw new InvalidOperationException("It took the load."),
            Cancel);
        using var channel = new AgentChannel(await listener.AcceptSocketAsync(Cancel));
        await channel.SendAsync(new(AgentMessageKind.Hello) { Nonce = AgentChannel.Nonce() }, Cancel);
        var join = await channel.ReceiveAsync(Cancel);
        await channel.SendAsync(
            new(Enum.Parse<AgentMessageKind>(kind))
            {
                Text = "load", Of = 1, Proof = AgentChannel.Proof("fedcba9876543210", "coordinator", join.Nonce!),
            },
            Cancel);

        var refused = await Assert.ThrowsAsync<AgentException>(() => agent);

        Assert.Contains($"127.0.0.1:{port} does not know the token", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(Token, join.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Agent_that_is_one_too_many_is_said_why()
    {
        using var listener = new TcpListener(System.Net.IPAddress.Loopback, 0);
        listener.Start();
        var port = ((System.Net.IPEndPoint)listener.LocalEndpoint).Port;
        var agent = LoadAgent.RunAsync(new() { Host = "127.0.0.1", Port = port, Token = Token, Name = "third" }, _ => [Counted()], Cancel);
        (await listener.AcceptSocketAsync(Cancel)).Dispose();

        var error = await Assert.ThrowsAsync<AgentException>(() => agent);

        Assert.Contains("before agent 'third' had joined; has it all its agents already?", error.Message, StringComparison.Ordinal);
    }

    private static async Task<Socket> StrangerAsync(AgentCoordinator coordinator, string says)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(System.Net.IPAddress.Loopback, coordinator.Port, Cancel);
        await socket.SendAsync(System.Text.Encoding.Latin1.GetBytes(says), Cancel);
        return socket;
    }

    private static string Message(string json) => $"\0\0\0{(char)json.Length}{json}";
}

/// <summary>Loads whose operations outlast their requests, on agents that stay for the next one.</summary>
public sealed class DividedLoadTests
{
    private const string Token = "0123456789abcdef";

    /// <summary>On a busy machine both may take their time.</summary>
    private static CoordinatorOptions Two { get; } = new()
    {
        Agents = 2, Token = Token, JoinTimeout = TimeSpan.FromMinutes(5), PrepareTimeout = TimeSpan.FromMinutes(5),
        SilenceTimeout = TimeSpan.FromMinutes(1),
    };

    /// <summary>Random operations, dealt out at random and sent over a connection, are those of one process, to the bucket.</summary>
    [Theory]
    [InlineData(1), InlineData(2), InlineData(3), InlineData(4), InlineData(5), InlineData(6), InlineData(7), InlineData(8)]
    public async Task Operations_of_agents_add_up_to_those_of_one_process(int seed)
    {
        var random = new Random(seed);
        var (start, idle) = (Stopwatch.GetTimestamp(), Stopwatch.GetTimestamp() + (1_300 * Stopwatch.Frequency));
        var seconds = random.Next(2, 1_200);
        var shape = (BatchShape)(2 * random.Next(2));
        var due = TimeSpan.FromSeconds(random.Next(2));
        var single = Tally(due, shape, start);
        var agents = Enumerable.Range(0, 1 + random.Next(5)).Select(_ => Tally(due, shape, start)).ToList();
        for (var number = 0; number < 2_000; number++)
        {
            var operation = Any(random, number, start, idle, seconds);
            single.Add(operation);
            agents[random.Next(agents.Count)].Add(operation);
        }

        single.AddIdle(idle);
        var parts = new List<TallyParts>();
        foreach (var agent in agents)
        {
            parts.AddRange(await OverTheWireAsync(agent.ToParts(start)));
        }

        var whole = OperationTally.Of(Tally(due, shape, start), parts, start, idle);

        Assert.Equal(Words(single, start), Words(whole, start));

        // Of one batch the series has the intervals between completions, of which each agent has one less than completions.
        var apart = shape == BatchShape.Together ? agents.Count - 1 : 0;
        Assert.Equal(single.Series.Count - apart, whole.Series.Count);
        Assert.InRange(whole.Series.Means.Count * whole.Series.GroupSize, single.Series.Count * 8 / 10, single.Series.Count);
    }

    [Fact]
    public void Every_key_is_accounted_for_by_one_part()
    {
        var parts = Enumerable.Range(0, 12).Select(index => new AgentPart("", index, 12, _ => Task.FromResult(0L), default)).ToList();
        string[] keys = [.. parts.Select(part => part.KeyPrefix + Guid.NewGuid()), $"{Guid.NewGuid()}", "a12-of-nobody", "a", ""];

        Assert.All(keys, key => Assert.Single(parts, part => part.Owns(key)));
        Assert.All(parts, part => Assert.True(part.Owns(part.KeyPrefix + "x")));
    }

    [Fact]
    public async Task Agents_stay_for_the_next_load_settle_at_one_moment_and_report_what_they_heard()
    {
        await using var coordinator = new AgentCoordinator(Two);
        var resolved = new List<string>();
        var taking = Enumerable.Range(0, 2).Select(place => Agent(coordinator, place, part => Settling(part, resolved))).ToList();
        foreach (var load in (string[])["first", "second"])
        {
            var (waits, idle) = (0, 0L);
            var divided = await coordinator.PrepareAsync(load, [Failing()], Cancel);
            var (result, tallies) = await divided.DriveAsync(
                [new OperationTally(TimeSpan.Zero)],
                _ =>
                {
                    Assert.Equal(1, Interlocked.Increment(ref waits));
                    return Task.FromResult(idle = Stopwatch.GetTimestamp());
                },
                source: null, new(), Cancel);
            var heard = await divided.ConcludeAsync(Cancel);

            Assert.Equal((100, 100), (result.Scenarios[0].Requested, result.Scenarios[0].Fail.Count));
            Assert.Equal(100, result.Scenarios[0].Timeline.Points.Sum(point => point.Errors?["503 busy"] ?? 0));
            Assert.Equal((100, 1), (tallies[0].Count(SendOutcome.Refused), waits));
            Assert.Equal((6, 4), (heard.Counts.Duplicate, heard.Counts.Lost));
            Assert.Matches("^agent-[01]: late$", heard.Missing);
            Assert.Equal(2, Assert.Single(heard.ServerSplit).Latency.Count);
            Assert.All(result.Agents, agent => Assert.True(agent is { CpuSeconds: >= 0, PeakMemoryBytes: > 0, Requested: 50 }));
        }

        await coordinator.DisposeAsync();
        await Task.WhenAll(taking);
        Assert.Equal(["first", "first", "second", "second"], resolved.Order());
    }

    [Fact]
    public async Task Interrupted_load_ends_on_all_agents_and_is_kept()
    {
        await using var coordinator = new AgentCoordinator(Two);
        var taking = Enumerable.Range(0, 2).Select(place => Agent(coordinator, place, _ => new AgentLoad([Endless()]))).ToList();
        using var interruption = new CancellationTokenSource();
        var divided = await coordinator.PrepareAsync("", [Endless()], Cancel);
        var driving = divided.DriveAsync(
            [], waitForIdle: null, source: null, new() { Interruption = interruption.Token }, Cancel);
        await coordinator.Begun;
        await interruption.CancelAsync();

        var (load, _) = await driving;
        await coordinator.DisposeAsync();
        await Task.WhenAll(taking);

        Assert.True(load.IsInterrupted);
        Assert.Equal(load.Scenarios[0].Requested, load.Scenarios[0].Started + load.Scenarios[0].Dropped);
        Assert.InRange(load.Duration, TimeSpan.Zero, TimeSpan.FromMinutes(9));

        static ScenarioProps Endless() => Scenario.Create("s", _ => Task.FromResult<IResponse>(Response.Ok()))
            .WithLoadSimulations(Simulation.Inject(20, TimeSpan.FromSeconds(1), TimeSpan.FromMinutes(10)));
    }

    private static Task Agent(AgentCoordinator coordinator, int place, Func<AgentPart, AgentLoad> resolve) => LoadAgent.RunAsync(
        new() { Host = "127.0.0.1", Port = coordinator.Port, Token = Token, Name = $"agent-{place}" },
        (part, _) => Task.FromResult(resolve(part)), Cancel);

    private static OperationTally Tally(TimeSpan due, BatchShape shape, long start)
    {
        var tally = new OperationTally(due, shape);
        tally.BeginAt(start);
        return tally;
    }

    private static Operation Any(Random random, int number, long start, long idle, int seconds)
    {
        var began = start + (long)(random.NextDouble() * seconds * Stopwatch.Frequency);
        var operation = new Operation(number, $"{number}", completion: null, began) { Outcome = (SendOutcome)random.Next(4) };
        if (operation.Outcome == SendOutcome.Accepted)
        {
            operation.PublishedTicks = random.Next(2) * (began + random.Next(1_000_000));
            operation.IdleTicks = random.Next(2) * idle;
            operation.CompleteAt(began + random.Next(1, 2_000_000_000));
        }

        return operation;
    }

    /// <summary>All that a tally is made of, but the order of its series.</summary>
    private static string Words(OperationTally tally, long start)
    {
        var parts = tally.ToParts(start);
        LatencyHistogram[] histograms =
        [
            parts.Latency, parts.SignalToFirstCompletion, parts.SignalToCompletion, parts.DueToCompletion, tally.DrainToIdle,
        ];
        var seconds = parts.Seconds.Seconds.Select(second => $"{second.From}: {second.Slot.Started} {second.Slot.Failed} "
            + $"{second.Slot.Refused} {second.Slot.Dropped} {second.Slot.Unknown} {second.Slot.Latency.ToSparseString()}");
        return $"{string.Join(' ', parts.Outcomes)}|{parts.FirstBeganNs}|{parts.LastCompletedNs}|{parts.PublishedAfterNs}|{parts.Early}|"
            + $"{string.Join('|', histograms.Select(histogram => histogram.ToSparseString()))}|{parts.Seconds.SecondsEach}|"
            + $"{string.Join('\n', seconds)}|{tally.Duration}|{tally.PublishedAfterMs}";
    }

    private static async Task<IReadOnlyList<TallyParts>> OverTheWireAsync(TallyParts parts)
    {
        using var listener = new TcpListener(System.Net.IPAddress.Loopback, 0);
        listener.Start();
        var client = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await client.ConnectAsync(listener.LocalEndpoint, Cancel);
        using var from = new AgentChannel(client);
        using var to = new AgentChannel(await listener.AcceptSocketAsync(Cancel)) { IsTrusted = true };
        var load = await new LoadRunner().RunAsync([Failing()], new LoadOptions(), Cancel);
        var measured = AgentMeasurement.Of(load, startedLateMs: 0) with { Operations = [parts] };
        var sent = from.SendAsync(new(AgentMessageKind.Result) { Measurement = measured }, Cancel);
        var received = await to.ReceiveAsync(Cancel);
        await sent;
        return received.Measurement!.Operations;
    }

    private static ScenarioProps Failing() => Scenario.Create("s", _ => Task.FromResult<IResponse>(Response.Fail("503", "busy")))
        .WithLoadSimulations(Simulation.IterationsForConstant(4, 100));

    /// <summary>A part whose iterations are operations that the system refuses, and that hears something of it.</summary>
    private static AgentLoad Settling(AgentPart part, List<string> resolved)
    {
        lock (resolved)
        {
            resolved.Add(part.Description);
        }

        var (tally, split) = (new OperationTally(TimeSpan.Zero), new LatencyHistogram());
        split.RecordNanoseconds(part.Index + 1);
        var scenario = Scenario.Create("s", _ =>
        {
            tally.Add(new Operation(0, "", completion: null, Stopwatch.GetTimestamp()) { Outcome = SendOutcome.Refused });
            return Task.FromResult<IResponse>(Response.Fail("503", "busy"));
        }).WithLoadSimulations(Simulation.IterationsForConstant(4, 100));
        var none = new global::LoadTesting.Core.Load.Events.EventAwaiter();
        var counts = none.Snapshot() with { Duplicate = 3, Lost = 2 };
        none.Dispose();
        return new AgentLoad([scenario])
        {
            Options = new() { WhenOver = async () => Assert.True(await part.WaitForIdleAsync(Cancel) > 0) },
            Tallies = [tally],
            ConcludeAsync = _ => Task.FromResult(new AgentEvents(
                counts, [new("commit", split)], part.Index == 1 ? "late" : null)),
        };
    }
}
