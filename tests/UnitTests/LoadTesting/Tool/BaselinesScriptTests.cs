using System.Diagnostics;

namespace UnitTests.LoadTesting.Tool;

/// <summary><c>.ci/baselines</c> in a repository of its own, over a <c>dotnet</c> that leaves what it is asked for.</summary>
public sealed class BaselinesScriptTests : IDisposable
{
    private const string Dotnet = """
        #!/bin/sh
        printf '%s\n' "$*" >> "$CALLS"
        file() { mkdir -p "$(dirname "$1")" && printf '%s' "$2" > "$1"; }
        case "$*" in *"$BREAKS"*) exit 7 ;; esac
        before=
        for argument in "$@"; do
          case $before in
            --recording) file "$argument" recorded ;;
            --markdown) file "$argument" "# Test

        ## Summary

        | Recorded |
        |---|
        | one |

        ## Power

        | Other |
        " ;;
          esac
          before=$argument
        done
        case "$*" in *--pairs*) exit 3 ;; esac
        """;

    private const string Page = "# Tool\n\n<!-- power: .ci/baselines -->\n\nold table\n\n<!-- end of power -->\n\nrest\n";

    private static readonly string[] Parts =
    [
        "build", "windows", "windows-serial", "throughput", "payments", "seed", "xl", "keep-seed", "keep-xl", "keep-recordings", "table",
    ];

    private readonly string _root = Directory.CreateTempSubdirectory("baselines-script-").FullName;

    [Fact]
    public async Task Interrupted_regeneration_goes_on_where_it_stopped_and_writes_the_table_between_its_marks()
    {
        await ArrangeAsync();

        var (failed, first) = await RunAsync(breaks: "WORKFLOW_PERF_SIZE=xl");
        Assert.Equal((7, Page), (failed, await TextAsync("src/LoadTesting/Tool/README.md")));
        Assert.Equal(Parts.Take(3), PartsOf(first));

        var (code, second) = await RunAsync();

        Assert.Equal((0, string.Join(' ', Parts)), (code, string.Join(' ', PartsOf(second))));
        Assert.Contains("windows: done before", second, StringComparison.Ordinal);
        Assert.Equal(
            ["payments.json", "throughput.json", "windows-serial.json", "windows.json"],
            Directory.EnumerateFiles(Path.Combine(_root, "fixtures/baselines/gate"), "*.json").Select(Path.GetFileName).Order());
        var page = await TextAsync("src/LoadTesting/Tool/README.md");
        Assert.DoesNotContain("old table", page, StringComparison.Ordinal);
        Assert.DoesNotContain("| Other |", page, StringComparison.Ordinal);
        Assert.Equal(4, page.Split("| Recorded |\n|---|\n| one |\n").Length - 1);
        Assert.EndsWith("\n\n<!-- end of power -->\n\nrest\n", page, StringComparison.Ordinal);
        Assert.Single((await TextAsync("calls")).Split('\n'), call => call.Contains("windows-serial-xl", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Changed_work_tree_is_refused()
    {
        await ArrangeAsync();
        await File.WriteAllTextAsync(Path.Combine(_root, "src/new.cs"), "", TestContext.Current.CancellationToken);

        var (code, said) = await RunAsync();

        Assert.Equal((2, "The work tree has changes: commit them first."), (code, said.Trim()));
    }

    [Fact]
    public async Task Page_of_the_tool_has_the_marks() => Assert.Matches(
        "\n<!-- power: [^\n]+ -->\n(.|\n)*\n<!-- end of power -->\n",
        await File.ReadAllTextAsync(Repository.FullPath("src/LoadTesting/Tool/README.md"), TestContext.Current.CancellationToken));

    public void Dispose() => Directory.Delete(_root, recursive: true);

    private static IEnumerable<string> PartsOf(string output) => output.Split('\n')
        .Where(line => line.EndsWith(" s", StringComparison.Ordinal) || line.EndsWith(": done before", StringComparison.Ordinal))
        .Select(line => line[..line.IndexOf(':', StringComparison.Ordinal)]);

    private async Task ArrangeAsync()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The script is for Linux.");
        foreach (var (path, text) in new[]
        {
            (".ci/baselines", await TextAsync(Repository.FullPath(".ci/baselines"))), ("bin/dotnet", Dotnet),
            ("src/LoadTesting/Tool/README.md", Page), ("fixtures/baselines/gate/README.md", ""), (".gitignore", "TestResults\ncalls\n"),
        })
        {
            Directory.CreateDirectory(Path.GetDirectoryName(Path.Combine(_root, path))!);
            await File.WriteAllTextAsync(Path.Combine(_root, path), text, TestContext.Current.CancellationToken);
        }

        await EndAsync("chmod", "700", "bin/dotnet");
        await EndAsync("git", "init", "--quiet");
        await EndAsync("git", "add", "--all");
        await EndAsync("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "All");
    }

    private Task<string> TextAsync(string path) => File.ReadAllTextAsync(Path.Combine(_root, path), TestContext.Current.CancellationToken);

    private Task<(int Code, string Output)> RunAsync(string breaks = "nothing") =>
        EndAsync("env", $"PATH={_root}/bin:{Environment.GetEnvironmentVariable("PATH")}", $"CALLS={_root}/calls", $"BREAKS={breaks}",
            "bash", ".ci/baselines", "--busy");

    private async Task<(int Code, string Output)> EndAsync(string program, params string[] arguments)
    {
        using var process = Process.Start(new ProcessStartInfo(program, arguments)
        {
            WorkingDirectory = _root, RedirectStandardOutput = true, RedirectStandardError = true,
        })!;
        var errors = process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        var output = await process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        return (process.ExitCode, output + await errors);
    }
}
