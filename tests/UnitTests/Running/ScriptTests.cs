using System.Diagnostics;

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
        Write("first", Enumerable.Range(0, measurements).Select(number => Measurement(number, number < first)));
        Write("again", Enumerable.Range(0, first).Select(number => Measurement(number, number < again)));

        var (code, output) = await RunAsync("judge", "first", "again");

        Assert.Equal((exitCode, said), (code, output.Split('\n')[0]));
        Assert.Equal(again, output.Split('\n').Count(line => line.StartsWith("- PerformanceTests.", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Without_a_repetition_what_said_nothing_still_says_nothing()
    {
        Write("first", Enumerable.Range(0, 10).Select(number => Measurement(number, number < 1)));

        Assert.Equal(1, (await RunAsync("judge", "first", "again")).Code);
    }

    [Fact]
    public async Task Repeated_are_the_tests_that_said_nothing_and_no_other_skip()
    {
        Write(
            "first",
            [
                Measurement(1, isInconclusive: true), Measurement(2, isInconclusive: true), Measurement(3, isInconclusive: false),
                Result("PerformanceTests.Tiers.NightlyTests.Other", "NotExecuted", "profile 'oracle-aq' is not available"),
                Result("UnitTests.SomeTests.Test", "NotExecuted", "Inconclusive: the machine kept the process waiting"),
                Result("PerformanceTests.Tiers.ScenarioTableTests.Row", "Passed", null),
            ]);

        Assert.Equal(
            "FullyQualifiedName=PerformanceTests.Tiers.SmokeTests.Burst\n", (await RunAsync("filter", "first")).Output);
        Assert.StartsWith("2 of 3 measurements", (await RunAsync("judge", "first", "again")).Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(2, 0), InlineData(3, 1)]
    public async Task More_than_two_other_tests_that_say_nothing_are_too_many(int others, int exitCode)
    {
        Write(
            "first",
            Enumerable.Range(0, others)
                .Select(number => Result($"UnitTests.SomeTests.Test{number}", "NotExecuted", "Inconclusive: the machine kept the process waiting"))
                .Append(Measurement(1, isInconclusive: false)));

        var (code, output) = await RunAsync("judge", "first", "again");

        Assert.Equal((exitCode, $"{others} other tests were inconclusive; 2 may be."), (code, output.Split('\n')[1]));
        Assert.Equal(others, output.Split('\n').Count(line => line.StartsWith("- UnitTests.", StringComparison.Ordinal)));
    }

    private static string Measurement(int number, bool isInconclusive) => Result(
        $"PerformanceTests.Tiers.SmokeTests.Burst(profile: &quot;p{number}&quot;)", isInconclusive ? "NotExecuted" : "Passed",
        isInconclusive ? "Inconclusive: INCONCLUSIVE memory-burst" : null);

    /// <summary>As the trx logger writes it.</summary>
    private static string Result(string name, string outcome, string? message) =>
        $"    <UnitTestResult executionId=\"1\" testId=\"2\" testName=\"{name}\" computerName=\"c\" outcome=\"{outcome}\" testListId=\"3\">\n"
        + (message is null ? "" : $"      <Output>\n        <ErrorInfo>\n          <Message>{message}\n</Message>\n        </ErrorInfo>\n")
        + "    </UnitTestResult>\n";

    private void Write(string directory, IEnumerable<string> results)
    {
        var path = Directory.CreateDirectory(Path.Combine(_root.FullName, directory)).FullName;
        File.WriteAllText(Path.Combine(path, "run.trx"), $"<TestRun>\n  <Results>\n{string.Concat(results)}  </Results>\n</TestRun>\n");
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
