using System.Diagnostics;
using LoadTesting.Core.Agents;

namespace UnitTests.LoadTesting.Tool;

/// <summary>Real processes, which share nothing with the coordinator but a connection.</summary>
public sealed class AgentCommandTests
{
    private const string Token = "0123456789abcdef";
    private const int Agents = 4;
    private const int Requests = 2_001;

    [Fact]
    public async Task Four_processes_make_the_requests_of_one()
    {
        await using var service = await EmptyService.StartAsync(Cancel);
        var load = new HttpLoad(new Uri(service.Address, "/any")) { Users = 10, Requests = Requests, Json = "{}" };

        var (run, exits) = await RunAsync(load, load.ToScenario(), _ => { });

        var stats = run.Scenarios[0];
        Assert.Equal((Requests, Requests, 0), (stats.Requested, stats.Ok.Count, stats.Fail.Count));
        Assert.Equal(Requests, stats.Ok.Latency.Count);
        Assert.Equal(Requests, stats.Timeline.Points.Sum(point => point.Completed));
        Assert.Equal([501, 500, 500, 500], run.Agents.Select(agent => agent.Requested).OrderDescending());
        Assert.Equal(Agents, run.Agents.Select(agent => agent.Name).Distinct().Count());
        Assert.All(run.Agents, agent => Assert.InRange(agent.ClockErrorMs, 0, 1_000));
        Assert.All(run.Agents, agent => Assert.True(agent is { CpuSeconds: > 0, CpuShare: > 0, PeakMemoryBytes: > 1_000_000 }));
        Assert.All(exits, exit => Assert.Equal(0, exit));
    }

    [Fact]
    public async Task Process_that_dies_fails_the_run_by_its_name_and_the_others_end()
    {
        await using var service = await EmptyService.StartAsync(Cancel);
        var load = new HttpLoad(new Uri(service.Address, "/any")) { Rate = 200, Seconds = 60 };

        var error = await Assert.ThrowsAsync<AgentException>(() => RunAsync(load, load.ToScenario(), processes => processes[2].Kill()));

        Assert.Matches(new Regex("^Agent 'process-2' on .+ died before its result"), error.Message);
    }

    /// <summary>Each of them makes 50 a second.</summary>
    [Fact]
    public async Task Rule_that_only_all_processes_together_miss_ends_all_of_them()
    {
        await using var service = await EmptyService.StartAsync(Cancel);
        var load = new HttpLoad(new Uri(service.Address, "/any")) { Rate = 200, Seconds = 1_200 };

        var (run, exits) = await RunAsync(
            load, load.ToScenario().WithThresholds(Threshold.AtMost("throughputPerSecond", 75).AbortWhen(2)), _ => { });

        Assert.StartsWith(
            "scenario '/any': 2 seconds missed the threshold throughputPerSecond <= 75, ", run.StopReason, StringComparison.Ordinal);
        Assert.False(run.IsInterrupted);
        Assert.Equal(run.Scenarios[0].Requested, run.Agents.Sum(agent => agent.Requested));
        Assert.All(exits, exit => Assert.Equal(0, exit));
    }

    [Theory]
    [InlineData("is no address", "coordinate", "nonsense", "--agents", "4", "--users", "4", "--seconds", "1")]
    [InlineData("is no host:port", "agent", "10.0.0.7")]
    [InlineData("is no host:port", "coordinate", "http://a/", "--agents", "4", "--listen", "7420")]
    [InlineData("WFPERF_TOKEN is not set", "agent", "10.0.0.7:7420")]
    public async Task Bad_input_is_named(string message, params string[] arguments)
    {
        Assert.Null(Environment.GetEnvironmentVariable(AgentCommands.TokenVariable));
        using var error = new StringWriter();

        Assert.Equal(2, await CommandLine.RunAsync(arguments, new ToolConsole(TextWriter.Null, error, IsStyled: false), Cancel));

        Assert.Contains(message, error.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0, 0, 0, 1, 0), InlineData(4, 5, 0, 1, 0), InlineData(4, 0, 0, 0, 0), InlineData(4, 0, 9, 1, 0), InlineData(4, 0, 9, 0, 1)]
    public void Load_that_is_none_or_two_is_refused(int users, int rate, long requests, int seconds, int ramp) =>
        Assert.Contains("Give --users or --rate", Assert.Throws<ArgumentException>(() => new HttpLoad(new Uri("http://a/"))
        {
            Users = users, Rate = rate, Requests = requests, Seconds = seconds, RampSeconds = ramp,
        }.ToScenario()).Message, StringComparison.Ordinal);

    [Fact]
    public async Task Variable_that_a_header_names_is_needed_by_the_agents_alone()
    {
        await using var service = await EmptyService.StartAsync(Cancel);
        using var coordinator = Start(
            null, "coordinate", new Uri(service.Address, "/any").ToString(), "--agents", "1", "--listen", "127.0.0.1:0", "--users", "1",
            "--requests", "5", "--header", "X-Api-Key: $KEY_OF_THE_AGENT");
        var output = coordinator.StandardOutput.ReadToEndAsync(Cancel);
        try
        {
            var waiting = await coordinator.StandardError.ReadLineAsync(Cancel);
            Assert.StartsWith("Waiting for 1 agents on 127.0.0.1:", waiting, StringComparison.Ordinal);
            using var agent = Start("0123", "agent", waiting!.Split(' ')[^1].TrimEnd('.'));

            await Task.WhenAll(coordinator.WaitForExitAsync(Cancel), agent.WaitForExitAsync(Cancel));

            Assert.Contains("requested 5, ok 5, failed 0", await output, StringComparison.Ordinal);
            Assert.Equal(0, agent.ExitCode);
        }
        finally
        {
            coordinator.Kill();
        }
    }

    /// <summary>Runs the load on four processes; <paramref name="whileItRuns"/> is called once all know when to begin.</summary>
    private static async Task<(LoadResult Run, IReadOnlyList<int> Exits)> RunAsync(
        HttpLoad load, ScenarioProps whole, Action<List<Process>> whileItRuns)
    {
        // Four processes begin at once, which on a busy machine takes its time.
        await using var coordinator = new AgentCoordinator(new()
        {
            Agents = Agents, Token = Token, JoinTimeout = TimeSpan.FromMinutes(5), SilenceTimeout = TimeSpan.FromMinutes(1),
        });
        var processes = Enumerable.Range(0, Agents)
            .Select(number => Start(null, "agent", $"127.0.0.1:{coordinator.Port}", "--name", $"process-{number}")).ToList();
        (LoadResult Run, IReadOnlyList<int> Exits) result;
        var haveEnded = true;
        try
        {
            var run = coordinator.RunAsync(load.ToString(), [whole], Cancel);
            await await Task.WhenAny(run, coordinator.Begun);
            whileItRuns(processes);
            var measured = await run;
            await coordinator.DisposeAsync();
            await Task.WhenAll(processes.Select(process => process.WaitForExitAsync(Cancel)));
            result = (measured, [.. processes.Select(process => process.ExitCode)]);
        }
        finally
        {
            foreach (var process in processes)
            {
                await Task.WhenAny(process.WaitForExitAsync(Cancel), Task.Delay(60_000, Cancel));
                haveEnded &= process.HasExited;
                process.Kill();
                process.Dispose();
            }
        }

        Assert.True(haveEnded, "An agent outlived its coordinator.");
        return result;
    }

    private static Process Start(string? key, params string[] arguments)
    {
        var start = new ProcessStartInfo("dotnet", [typeof(EmptyService).Assembly.Location, .. arguments])
        {
            RedirectStandardOutput = true, RedirectStandardError = true,
        };
        start.Environment[AgentCommands.TokenVariable] = Token;
        start.Environment["KEY_OF_THE_AGENT"] = key;
        return Process.Start(start)!;
    }
}
