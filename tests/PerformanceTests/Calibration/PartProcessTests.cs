using System.Net;
using System.Reflection;

namespace PerformanceTests.Calibration;

/// <summary><c>wfperf run --part</c> and <c>wfperf merge</c>: one load of several processes on one service.</summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class PartProcessTests : IDisposable
{
    private const string Key = "a-key-of-this-test";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("wfperf-parts-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task Four_processes_have_the_account_of_one()
    {
        await using var service = await WebServiceProcess.StartAsync(new WebServiceOptions { Key = Key }, Cancel);
        var here = Assembly.GetExecutingAssembly().Location;
        var address = service.BaseAddress.AbsoluteUri;

        var parts = await Task.WhenAll(Enumerable.Range(1, 4).Select(part => WfperfAsync(
            "run", here, "--scenario", "signal-roundtrip-soak-http", "--rate", "42", "--duration", "4s", "--warm-up",
            "38", "--part",
            $"{part}/4", "--service", address, "--results", PathOf($"{part}"))));
        var whole = await WfperfAsync(
            "merge", PathOf("1"), PathOf("2"), PathOf("3"), PathOf("4"), "--service", address, "--output",
            PathOf("whole.json"));
        var incomplete = await WfperfAsync(
            "merge", PathOf("1"), PathOf("2"), PathOf("4"), "--service", address, "--output", PathOf("none.json"));

        Assert.All(parts, part => Assert.True(part.ExitCode == 0, part.Output));
        Assert.All(parts,
            part => AssertHolds(part.Output, "is measured, and has no verdict", "ledger: requested 42, started 42"));

        // A busy machine may make it inconclusive; counts are the same there.
        Assert.True(whole.ExitCode is 0 or 3, whole.Output);
        var result = Assert.Single((await ResultJson.ReadFileAsync(PathOf("whole.json"), Cancel)).Scenarios);
        var ledger = result.Ledger!;
        Assert.Equal((168, 168, 168, true), (ledger.Requested, ledger.Started, ledger.Completed, ledger.Balanced));
        Assert.Equal((0, 0, 0), (ledger.Lost, ledger.Duplicate, ledger.Unmatched));
        Assert.Equal((168, 168, 168),
            (result.Operations, result.Latency.N, result.Timeline!.Points.Sum(point => point.Completed)));
        Assert.All(
            result.Validity!.Checks.Where(check => check.Name is "startedOnce" or "completedOnce"),
            check => AssertHolds($"{check.Outcome}: {check.Reason}", "Passed: the service counted 206 "));
        Assert.All(result.Parts!, part => Assert.True(part is { ClockErrorMs: > 0, Services.Count: 1 }));
        AssertHolds(whole.Output, "the parts began ");
        Assert.Equal(2, incomplete.ExitCode);
        AssertHolds(incomplete.Output, "part 3/4 is missing.");
        Assert.All(
            _folder.EnumerateFiles("*", SearchOption.AllDirectories),
            file => Assert.DoesNotContain(Key, File.ReadAllText(file.FullName), StringComparison.Ordinal));
    }

    [Fact]
    public async Task Service_that_asks_for_a_key_takes_no_request_without_it()
    {
        await using var subject = await HttpSubject.StartAsync("memory", new WebServiceOptions { Key = Key }, Cancel);
        using var stranger = new HttpClient { BaseAddress = Assert.Single(subject.Services) };

        Assert.Equal(HttpStatusCode.Unauthorized,
            (await stranger.GetAsync(new Uri("definitions", UriKind.Relative), Cancel)).StatusCode);
        Assert.True((await subject.ReadClockAsync(Cancel)).Error > TimeSpan.Zero);
        Assert.Null(await subject.WaitForEventsAsync(Cancel));
    }

    [Theory]
    [InlineData("signal-roundtrip-soak", HostingKind.InProcess,
        "runs in the process of its generator: take signal-roundtrip-soak-http.")]
    [InlineData("signal-roundtrip-latency-serial", HostingKind.Http, "when the service is idle")]
    [InlineData("signal-roundtrip-capacity-c8", HostingKind.Http, "a part does not know of the others' starts")]
    [InlineData("immediate-burst-smoke", HostingKind.Http,
        "immediate-burst-smoke has 1 users for 2 parts: divide it into 1 at most.")]
    [InlineData("signal-roundtrip-soak", HostingKind.Http, null)]
    public void Scenario_that_cannot_be_divided_is_refused_with_the_way_out(
        string scenario, HostingKind hosting, string? expected)
    {
        var variant = ScenarioTable.Published.Single(variant => variant.Name == scenario);

        var whyNot = PartArrangement.DivisionUnsupportedReason(ScenarioTable.Make(variant), hosting, parts: 2);

        Assert.Equal(expected is null, whyNot is null);
        AssertHolds(whyNot ?? "", expected ?? "");
    }

    [Fact]
    public async Task Undividable_scenario_and_past_start_are_bad_input()
    {
        string[] part = ["run", Assembly.GetExecutingAssembly().Location, "--part", "1/2", "--service",
            "http://127.0.0.1:1", "--scenario"];

        var (undivided, past) = (
            await WfperfAsync([.. part, "sse-fanout-100-http", "--results", PathOf("none")]),
            await WfperfAsync([.. part, "linear-vu50-http", "--start-at", "2026-01-01T00:00:00Z"]));

        Assert.Equal((2, 2), (undivided.ExitCode, past.ExitCode));
        AssertHolds(undivided.Output, "is driven by one process: run it without --part.");
        AssertHolds(
            past.Output, "--start-at 2026-01-01T00:00:00Z passed ", "an instant by which the last of them is prepared");
    }

    [Fact]
    public async Task Service_that_refuses_the_key_is_bad_input_and_not_a_crash()
    {
        await using var service =
            await WebServiceProcess.StartAsync(new WebServiceOptions { Key = "another-key" }, Cancel);
        var (here, address) = (Assembly.GetExecutingAssembly().Location, service.BaseAddress.AbsoluteUri);

        var refused = await WfperfAsync(
            "run", here, "--scenario", "linear-vu50-http", "--part", "1/2", "--service", address, "--results",
            PathOf("none"));

        Assert.Equal(2, refused.ExitCode);
        AssertHolds(refused.Output, $"No part can be driven on {address}: 401", "its key in WORKFLOW_PERF_KEY?");
    }

    [Fact]
    public async Task Service_gone_after_the_load_fails_the_account_only()
    {
        await using var service = await WebServiceProcess.StartAsync(new WebServiceOptions { Key = Key }, Cancel);
        await using var subject = await HttpSubject.JoinAsync("memory", [service.BaseAddress], _ => true, Key, Cancel);
        Assert.Null(await subject.WaitForEventsAsync(Cancel));

        await service.KillAsync(Cancel);

        AssertHolds(await subject.WaitForEventsAsync(Cancel) ?? "", $"{service.BaseAddress} no longer answers");
    }

    private string PathOf(string name) => Path.Combine(_folder.FullName, name);

    private async Task<(int ExitCode, string Output)> WfperfAsync(params string[] arguments)
    {
        Assert.SkipUnless(
            File.Exists(RunProcessTests.ToolPath), $"Needs {RunProcessTests.ToolPath}: dotnet build Solution.sln.");
        var start = new ProcessStartInfo("dotnet", [RunProcessTests.ToolPath, .. arguments])
        {
            RedirectStandardOutput = true, RedirectStandardError = true,
        };
        using var process = RunProcessTests.StartAlone(start, _folder, setting: ("WORKFLOW_PERF_KEY", Key));
        var (output, error) =
            (process.StandardOutput.ReadToEndAsync(Cancel), process.StandardError.ReadToEndAsync(Cancel));
        await process.WaitForExitAsync(Cancel);
        return (process.ExitCode, await output + await error);
    }
}
