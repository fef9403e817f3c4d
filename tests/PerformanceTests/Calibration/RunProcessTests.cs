using System.Net;
using System.Reflection;
using LoadTesting.Core.Agents;
using LoadTesting.Core.Catalogue;
using LoadTesting.Core.Reporting.Live;
using Workflow.Contracts.Instances;

namespace PerformanceTests.Calibration;

/// <summary><c>wfperf run</c> as a process on this assembly, as somebody uses it.</summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class RunProcessTests
{
    [Fact]
    public async Task Interrupted_process_writes_a_partial_result_whose_account_balances_and_ends_with_130()
    {
        var (here, tool) = (Assembly.GetExecutingAssembly().Location, ToolPath);
        Assert.SkipUnless(!OperatingSystem.IsWindows() && File.Exists(tool), $"Needs SIGINT, and {tool}: dotnet build Solution.sln.");
        var folder = Directory.CreateTempSubdirectory("wfperf-run-");
        try
        {
            var start = new ProcessStartInfo(
                "dotnet",
                [
                    tool, "run", here, "--scenario", "signal-roundtrip-soak", "--rate", "100", "--duration", "60s", "--warm-up", "10",
                    "--results", Path.Combine(folder.FullName, "results"),
                ])
            { RedirectStandardOutput = true, RedirectStandardError = true };

            using var process = StartAlone(start, folder);
            var output = process.StandardOutput.ReadToEndAsync(Cancel);
            var error = process.StandardError.ReadToEndAsync(Cancel);
            var file = await MeasuringAsync(process, output, Path.Combine(folder.FullName, "results"));
            using (Process.Start("kill", ["-INT", $"{process.Id}"]))
            {
                await process.WaitForExitAsync(Cancel);
            }

            Assert.True(process.ExitCode == 130, $"{process.ExitCode}: {await output}{await error}");
            Assert.DoesNotContain('\u001b', await output);
            AssertHolds(await output, "INCONCLUSIVE memory-signal-roundtrip-soak", "partial: interrupted after", "the results are partial");
            Assert.Equal(RunState.Interrupted, (await ProgressFile.ReadAsync(file, Cancel)).State);
            var run = await ResultJson.ReadFileAsync(Path.Combine(Path.GetDirectoryName(file)!, "run.json"), Cancel);
            var result = Assert.Single(run.Scenarios);
            Assert.NotNull(run.Partial);
            Assert.NotNull(result.Partial);
            Assert.Equal((true, 0, 0), (result.Ledger!.Balanced, result.Ledger.Lost, result.Ledger.Stuck));
            Assert.Equal((result.Operations, result.Operations), (result.Ledger.Requested, result.Ledger.Completed));
            Assert.NotEmpty(BaselineRules.Refusals(run, allowDirty: true));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Theory]
    [InlineData("WORKFLOW_PERF_TRANSPORT", "rabbitmq", "wfperf: WORKFLOW_PERF_TRANSPORT is 'rabbitmq', and ", "with 'dotnet test ")]
    [InlineData("WORKFLOW_PERF_PROVISION", "contaner", "wfperf: WORKFLOW_PERF_PROVISION: 'contaner' is unknown. Known: auto, ")]
    [InlineData(
        "WORKFLOW_PERF_POSTGRES", "Host=127.0.0.1;Port=1",
        "NOT AVAILABLE postgres-immediate-burst-smoke: ", " memory-immediate-burst-smoke ", "1 not available")]
    public async Task Setting_that_cannot_be_used_is_named_and_ends_with_2(string variable, string value, params string[] expected)
    {
        var (here, tool) = (Assembly.GetExecutingAssembly().Location, ToolPath);
        Assert.SkipUnless(File.Exists(tool), $"Needs {tool}: dotnet build Solution.sln.");
        var folder = Directory.CreateTempSubdirectory("wfperf-run-");
        try
        {
            var start = new ProcessStartInfo(
                "dotnet",
                [
                    tool, "run", here, "--scenario", "immediate-burst-smoke", "--profile", "postgres", "--profile", "memory",
                    "--results", Path.Combine(folder.FullName, "results"),
                ])
            { RedirectStandardOutput = true, RedirectStandardError = true };

            using var process = StartAlone(start, folder, "memory,postgres", (variable, value));
            var (output, error) = (process.StandardOutput.ReadToEndAsync(Cancel), process.StandardError.ReadToEndAsync(Cancel));
            await process.WaitForExitAsync(Cancel);

            var all = await output + await error;
            Assert.True(process.ExitCode == 2, $"{process.ExitCode}: {all}");
            AssertHolds(all, expected);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    /// <summary>The tool of the same build; it may not be there.</summary>
    internal static string ToolPath => Path.Combine(
        Checkout.Root, "src", "LoadTesting", "Tool", "bin", Path.GetRelativePath(
            Path.Combine(Checkout.Root, "tests", "PerformanceTests", "bin"),
            Path.GetDirectoryName(Assembly.GetExecutingAssembly().Location)!), "LoadTesting.Tool.dll");

    /// <summary>
    /// Starts a process with temporary files of its own, for the lock between test runs is there, and these tests hold it; and with memory
    /// for its only backend: a run starts the servers of all that it may have, to say which are available.
    /// </summary>
    internal static Process StartAlone(
        ProcessStartInfo start, DirectoryInfo folder, string profiles = "memory", (string Variable, string Value)? setting = null)
    {
        start.Environment["TMPDIR"] = folder.FullName;
        start.Environment["WORKFLOW_PERF_PROFILES"] = profiles;
        start.Environment.Remove("WORKFLOW_PERF_REQUIRE"); // Of a machine that must have servers: this run has none.
        start.Environment.Remove("WORKFLOW_PERF_TRANSPORT");
        if (setting is var (variable, value))
        {
            start.Environment[variable] = value;
        }

        return Process.Start(start)!;
    }

    /// <summary>The run's file, once it says that iterations have started.</summary>
    internal static async Task<string> MeasuringAsync(Process process, Task<string> output, string results)
    {
        while (!process.HasExited)
        {
            await Task.Delay(50, Cancel);
            var file = Directory.Exists(results)
                ? Directory.EnumerateFiles(results, ProgressFile.FileName, SearchOption.AllDirectories).FirstOrDefault()
                : null;
            if (file is not null && (await ProgressFile.ReadAsync(file, Cancel)).Scenarios is [{ Completed: > 20 }])
            {
                return file;
            }
        }

        throw new InvalidOperationException($"The process ended with {process.ExitCode} before it measured anything: {await output}");
    }
}

/// <summary>Processes of <c>wfperf</c> that share a load, and a directory for their results.</summary>
public abstract class AgentProcesses : IDisposable
{
    protected const string Token = "0123456789abcdef";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("wfperf-agents-");

    protected string Results => Path.Combine(_folder.FullName, "results");

    public void Dispose()
    {
        _folder.Delete(recursive: true);
        GC.SuppressFinalize(this);
    }

    protected Process Start(string verb, params string[] arguments) => Start(verb, ("WFPERF_TOKEN", Token), arguments);

    protected Process Start(string verb, (string Name, string Value) variable, params string[] arguments)
    {
        var (here, tool) = (Assembly.GetExecutingAssembly().Location, RunProcessTests.ToolPath);
        Assert.SkipUnless(File.Exists(tool), $"Needs {tool}: dotnet build Solution.sln.");
        var start = new ProcessStartInfo(
            "dotnet", verb == "run" ? [tool, verb, here, .. arguments] : [tool, verb, .. arguments, here])
        { RedirectStandardOutput = true, RedirectStandardError = true };
        start.Environment[variable.Name] = variable.Value;
        return RunProcessTests.StartAlone(start, _folder);
    }
}

/// <summary><c>wfperf run --agents</c>: a load of the catalogue that several processes share, as somebody uses it.</summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class AgentRunTests : AgentProcesses
{
    [Fact]
    public async Task Four_processes_have_the_account_of_one()
    {
        using var process = Start("run", "--scenario", "linear-vu50-http", "--agents", "4", "--results", Results);
        var (output, error) = (process.StandardOutput.ReadToEndAsync(Cancel), process.StandardError.ReadToEndAsync(Cancel));
        await process.WaitForExitAsync(Cancel);

        // A busy machine may make it inconclusive; counts are the same there.
        Assert.True(process.ExitCode is 0 or 3, $"{process.ExitCode}: {await output}{await error}");
        var result = Assert.Single((await RunAsync()).Scenarios);
        var ledger = result.Ledger!;
        Assert.Equal((500, 500, 500, true), (ledger.Requested, ledger.Started, ledger.Completed, ledger.Balanced));
        Assert.Equal((0, 0, 0), (ledger.Lost, ledger.Duplicate, ledger.Unmatched));
        Assert.Equal((500, 500, 50), (result.Operations, result.Latency.N, result.Concurrency));
        var points = result.Timeline!.Points;
        Assert.Equal((500, 500), (points.Sum(point => point.Started), points.Sum(point => point.Completed)));
        Assert.Equal((500, 500, 1), (result.Phases["start"].N, result.Phases["startToCompletion"].N, result.Phases["drainToIdle"].N));
        Assert.All(
            result.Validity!.Checks.Where(check => check.Name is "startedOnce" or "completedOnce" or "storedOnce"),
            check => Assert.Equal(CheckOutcome.Passed, check.Outcome));
        var agents = result.Generator!.Agents!;
        Assert.Equal(["agent-1", "agent-2", "agent-3", "agent-4"], agents.Select(agent => agent.Name));
        Assert.Equal([125L, 125, 125, 125], agents.Select(agent => agent.Requested));
        Assert.All(agents, agent => Assert.True(agent is { ClockErrorMs: > 0, StartedLateMs: >= 0, CpuSeconds: > 0 }));
        AssertHolds(await output, "agent-1 on ", "125 iterations, clock ", "ms late");
    }

    [Fact]
    public async Task Agents_that_somebody_else_starts_are_waited_for_and_a_killed_one_fails_the_run_by_its_name()
    {
        var port = LoopbackPort.Free();
        using var process = Start(
            "run", "--scenario", "signal-roundtrip-soak-http", "--rate", "50", "--duration", "10m", "--warm-up", "10", "--agents", "2",
            "--listen", $"127.0.0.1:{port}", "--results", Results);
        using var first = Start("agent", "--name", "first", $"127.0.0.1:{port}");
        using var second = Start("agent", "--name", "second", $"127.0.0.1:{port}");
        var (output, error) = (process.StandardOutput.ReadToEndAsync(Cancel), process.StandardError.ReadToEndAsync(Cancel));
        try
        {
            var file = await RunProcessTests.MeasuringAsync(process, output, Results);
            var seen = Assert.Single((await ProgressFile.ReadAsync(file, Cancel)).Scenarios);
            Assert.Equal(("memory-signal-roundtrip-soak-http", 600), (seen.Name, seen.PlannedSeconds));
            Assert.True(seen is { IntendedPerSecond: > 0, P50Ms: > 0 });
            second.Kill();
            await Task.WhenAll(process.WaitForExitAsync(Cancel), first.WaitForExitAsync(Cancel));

            Assert.True(process.ExitCode == 1, $"{process.ExitCode}: {await output}{await error}");
            AssertHolds(await output, "FAILED memory-signal-roundtrip-soak-http", "Agent 'second' on ", "died before its result");
            var result = Assert.Single((await RunAsync()).Scenarios);
            Assert.Equal(VerdictOutcome.Failed, result.Verdict.Outcome);
            AssertHolds(Assert.Single(result.Verdict.Reasons), "Agent 'second'");
            Assert.Equal(1, first.ExitCode);
        }
        finally
        {
            foreach (var started in (Process[])[process, first, second])
            {
                started.Kill();
            }
        }
    }

    /// <summary>As from another machine: there the service listens too, and asks for a key.</summary>
    [Fact]
    public async Task Agents_of_another_address_drive_a_service_that_asks_for_a_key()
    {
        var address = $"127.0.0.2:{LoopbackPort.Free()}";
        using var process = Start("run", "--scenario", "linear-vu50-http", "--agents", "2", "--listen", address, "--results", Results);
        using var first = Start("agent", "--name", "first", address);
        using var second = Start("agent", "--name", "second", address);
        var (output, error) = (process.StandardOutput.ReadToEndAsync(Cancel), process.StandardError.ReadToEndAsync(Cancel));
        await process.WaitForExitAsync(Cancel);

        Assert.True(process.ExitCode is 0 or 3, $"{process.ExitCode}: {await output}{await error}");
        var result = Assert.Single((await RunAsync()).Scenarios);
        Assert.Equal((500, 500, true), (result.Ledger!.Requested, result.Ledger.Completed, result.Ledger.Balanced));
        AssertHolds(string.Join('\n', result.Notes), "The service asks for a key, which each request carries.");
        Assert.Equal([250L, 250], result.Generator!.Agents!.Select(agent => agent.Requested));
        await using var alike = new AgentCoordinator(new() { Agents = 1, Token = Token });
        foreach (var file in Directory.EnumerateFiles(Results, "*", SearchOption.AllDirectories))
        {
            var text = await File.ReadAllTextAsync(file, Cancel);
            Assert.DoesNotContain(Token, text, StringComparison.Ordinal);
            Assert.DoesNotContain(alike.Secret, text, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Service_that_other_machines_reach_takes_a_request_with_its_key_alone()
    {
        var options = new WebServiceOptions { Address = IPAddress.Parse("127.0.0.2"), Key = "a-key-of-this-test" };
        await using var subject = await HttpSubject.StartAsync("memory", options, Cancel);
        var service = Assert.Single(subject.Services);
        using var stranger = new HttpClient { BaseAddress = service };

        Assert.Equal("127.0.0.2", service.Host);
        Assert.Equal(HttpStatusCode.Unauthorized, (await stranger.GetAsync(new Uri("definitions", UriKind.Relative), Cancel)).StatusCode);
        Assert.Empty((await subject.ListAsync(InstanceState.Running, after: null, Cancel)).Items);
        Assert.Null(await subject.WaitForEventsAsync(Cancel));
    }

    /// <summary>By then a load of so few operations is over.</summary>
    [Fact]
    public async Task Event_that_an_agent_gets_a_second_time_half_a_second_later_fails_the_run()
    {
        using var process = Start(
            "run", ("WORKFLOW_PERF_INJECT", "duplicate"), "--scenario", "linear-vu50-http", "--agents", "2", "--results",
            Results);
        var (output, error) = (process.StandardOutput.ReadToEndAsync(Cancel), process.StandardError.ReadToEndAsync(Cancel));
        await process.WaitForExitAsync(Cancel);

        Assert.True(process.ExitCode == 1, $"{process.ExitCode}: {await output}{await error}");
        var result = Assert.Single((await RunAsync()).Scenarios);
        Assert.Equal((500, 1, VerdictOutcome.Failed), (result.Ledger!.Completed, result.Ledger.Duplicate, result.Verdict.Outcome));
        Assert.Equal("duplicate", result.Injected);
    }

    [Theory]
    [InlineData("linear-vu50-http", 51, "linear-vu50 has 50 users for 51 agents: use --agents 50 at most.")]
    [InlineData("signal-roundtrip-soak", 2, "in the process of its generator, of which there is one: take signal-roundtrip-soak-http.")]
    [InlineData("signal-roundtrip-latency-serial-http", 2, "which is one client's order")]
    [InlineData("signal-roundtrip-capacity-c8-http", 2, "no agent knows of the others' starts")]
    [InlineData("sse-fanout-100-http", 2, "is driven by one process: run it without --agents.")]
    public void Scenario_that_cannot_be_divided_is_refused_with_the_way_out(string scenario, int agents, string expected)
    {
        var known = new PerformanceCatalogue().Scenarios.Single(known => known.Name == scenario);

        AssertHolds(known.WhyNotDivided(new CatalogueRequest(known, "memory"), agents)!, expected);
    }

    private async Task<RunResult> RunAsync() => await ResultJson.ReadFileAsync(
        Assert.Single(Directory.EnumerateFiles(Results, "run.json", new EnumerationOptions
        {
            RecurseSubdirectories = true, AttributesToSkip = FileAttributes.ReparsePoint,
        })), Cancel);
}

/// <summary>MSBuild kills test hosts on Ctrl+C: they can write nothing any more.</summary>
[Trait(TierNames.Trait, TierNames.Extended)]
public sealed class KilledRunTests
{
    [Fact]
    public async Task Killed_test_host_leaves_a_run_of_which_the_next_to_find_it_makes_a_partial_result()
    {
        var folder = Directory.CreateTempSubdirectory("wfperf-killed-");
        try
        {
            var results = Path.Combine(folder.FullName, "results");
            var start = new ProcessStartInfo(
                "dotnet",
                [
                    "test", Assembly.GetExecutingAssembly().Location, "--filter",
                    "FullyQualifiedName~SoakTests.Signal_roundtrip&DisplayName~memory",
                ])
            { RedirectStandardOutput = true, RedirectStandardError = true };
            start.Environment["WORKFLOW_PERF_RESULTS"] = results;
            start.Environment["WORKFLOW_PERF_DURATION"] = "30s";
            using var process = RunProcessTests.StartAlone(start, folder);
            var output = process.StandardOutput.ReadToEndAsync(Cancel);
            _ = process.StandardError.ReadToEndAsync(Cancel);
            var file = await RunProcessTests.MeasuringAsync(process, output, results);
            var host = (await ProgressFile.ReadAsync(file, Cancel)).Process;
            Assert.NotEqual(Environment.ProcessId, host.Id);
            using (var killed = Process.GetProcessById(host.Id))
            {
                killed.Kill();
            }

            process.Kill(entireProcessTree: true); // It would wait for its test host.
            await process.WaitForExitAsync(Cancel);
            await Eventually.HoldsAsync(() => !host.IsAlive, "the test host to be gone");
            var before = await ProgressFile.ReadAsync(file, Cancel);
            Assert.Equal(RunState.Running, before.State);

            AssertHolds(Assert.Single(await UnfinishedRuns.FinishAsync(results, Cancel)), "its process was killed", "while it measured");

            var run = await ResultJson.ReadFileAsync(Path.Combine(Path.GetDirectoryName(file)!, "run.json"), Cancel);
            var result = Assert.Single(run.Scenarios);
            Assert.Equal(("memory-signal-roundtrip-soak", VerdictOutcome.Inconclusive), (result.Name, result.Verdict.Outcome));
            Assert.Equal((run.Partial, before.Scenarios[0].Completed), (result.Partial, result.Latency.N));
            Assert.NotEmpty(BaselineRules.Refusals(run, allowDirty: true));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
