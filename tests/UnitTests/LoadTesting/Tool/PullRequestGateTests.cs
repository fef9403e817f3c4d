using System.Diagnostics;

namespace UnitTests.LoadTesting.Tool;

/// <summary>
/// What the pull-request pipeline makes of a gate's verdict: <c>.ci/gate</c> over a tool that ends as it is bidden.
/// </summary>
public sealed class PullRequestGateTests : IDisposable
{
    private const string Tool = """
        #!/bin/sh
        printf '%s\n' "$*" >> "$CALLS"
        directory=$3
        [ "$2" = --pairs ] || directory=${5%/*}
        mkdir -p "$directory"
        cause=$(sed -n "$(wc -l < "$CALLS")p" "$CAUSES")
        printf '{\n  "cause": "%s",\n  "scenarios": [ { "cause": "missingBase" } ]\n}\n' "$cause" > "$directory/gate.json"
        case $cause in passed) exit 0 ;; regressed) exit 1 ;; badInput) exit 2 ;; *) exit 3 ;; esac
        """;

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("pull-request-gate-");

    [Theory]
    [InlineData(0, 1, "passed")]
    [InlineData(1, 1, "regressed")]
    [InlineData(0, 1, "noise")]
    [InlineData(0, 1, "unjudged")]
    [InlineData(1, 1, "unlike")]
    [InlineData(0, 2, "missingBase", "noise")]
    [InlineData(1, 2, "missingBase", "missingBase")]
    public async Task Verdict_and_cause_decide_what_a_pull_request_ends_with(
        int code, int calls, params string[] causes)
    {
        var (ended, made) = await RunAsync(causes);

        Assert.Equal((code, calls), (ended, made.Length));
        Assert.Equal("gate --pairs pairs --seed 7", made[0]);
        Assert.All(made.Skip(1), call => Assert.Equal("gate --pairs pairs-again --seed 7", call));
    }

    [Fact]
    public async Task Incomparable_sides_pass_if_that_is_allowed() =>
        Assert.Equal(0, (await RunAsync(["unlike"], ("ACCEPT_UNLIKE", "true"))).Code);

    [Theory]
    [InlineData("noise", 0)]
    [InlineData("unjudged", 1)]
    [InlineData("missingBase", 1)]
    public async Task Nightly_gate_by_stored_runs_fails_where_most_is_unjudged(string cause, int code)
    {
        var (ended, made) =
            await RunAsync([cause], ["decision", "reference", "run.json"], ("ACCEPT_UNJUDGED", "false"));

        Assert.Equal(code, ended);
        Assert.Equal(
            "gate reference run.json --json decision/gate.json --markdown decision/gate.md", Assert.Single(made));
    }

    public void Dispose() => _folder.Delete(recursive: true);

    private Task<(int Code, string[] Calls)> RunAsync(
        string[] causes, params (string Name, string Value)[] variables) =>
        RunAsync(causes, ["pairs", "--seed", "7"], variables);

    private async Task<(int Code, string[] Calls)> RunAsync(
        string[] causes, string[] arguments, params (string Name, string Value)[] variables)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "The pipeline's script is for a POSIX shell.");
        var (tool, calls, listed) = (PathOf("tool"), PathOf("calls"), PathOf("causes"));
        await File.WriteAllTextAsync(tool, Tool, TestContext.Current.CancellationToken);
        await File.WriteAllTextAsync(calls, "", TestContext.Current.CancellationToken);
        await File.WriteAllLinesAsync(listed, causes, TestContext.Current.CancellationToken);
        var start = new ProcessStartInfo("bash", [Repository.FullPath(".ci/gate"), .. arguments])
        {
            WorkingDirectory = _folder.FullName, RedirectStandardOutput = true, RedirectStandardError = true,
        };
        foreach (var (name, value) in variables.Append(("WFPERF", "sh " + tool)).Append(("CALLS", calls))
            .Append(("CAUSES", listed)))
        {
            start.Environment[name] = value;
        }

        using var process = Process.Start(start)!;
        await Task.WhenAll(process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken),
            process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken));
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        return (process.ExitCode, await File.ReadAllLinesAsync(calls, TestContext.Current.CancellationToken));
    }

    private string PathOf(string file) => Path.Combine(_folder.FullName, file);
}
