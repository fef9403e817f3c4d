using System.Diagnostics;

namespace UnitTests.LoadTesting.Tool;

/// <summary>Completions as shells ask for them: each runs its script, and somebody presses Tab behind a line.</summary>
public sealed class CompletionScriptTests : ToolTests
{
    private static readonly Dictionary<string, string> Tabs = new(StringComparer.Ordinal)
    {
        // As bash calls it: https://www.gnu.org/software/bash/manual/html_node/Programmable-Completion.html
        ["bash"] = """
            source <(wfperf completions bash)
            complete -p wfperf >/dev/null || exit 1
            COMP_LINE=$1 COMP_POINT=${#1}
            read -ra COMP_WORDS <<<"$1"
            [[ $1 != *' ' ]] || COMP_WORDS+=('')
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _wfperf
            printf '%s\n' "${COMPREPLY[@]}"
            """,
        ["fish"] = """
            wfperf completions fish | source
            complete -C "$argv[1]" | string replace -r '\t.*' ''
            """,

        // An interactive zsh in a pseudo-terminal, because only that completes.
        ["zsh"] = """
            zmodload zsh/zpty || exit 1
            zpty shell zsh -f -i
            seen=
            await() { until [[ $seen == *$1* ]]; do zpty -r -t shell part && seen+=$part || sleep 0.1; done }
            zpty -w shell "PS1=; LISTMAX=1000; autoload -Uz compinit; compinit -u -D; source <(wfperf completions zsh); print re'ad'y"
            await ready
            seen=
            zpty -n -w shell "$1"$'\t'
            await "$2"
            print -r -- "$2"
            """,
    };

    [Theory]
    [InlineData("bash", "wfperf run x.dll --sc", "--scenario")]
    [InlineData("bash", "wfperf  completions ", "pwsh")]
    [InlineData("fish", "wfperf run x.dll --sc", "--scenario")]
    [InlineData("fish", "true; wfperf completions ", "pwsh")]
    [InlineData("zsh", "true; wfperf run x.dll --sc", "--scenario")]
    [InlineData("zsh", "wfperf completions ", "pwsh")]
    public async Task Tab_behind_a_line_gives_what_completes_it(string shell, string line, string expected)
    {
        Assert.SkipUnless(
            Environment.GetEnvironmentVariable("PATH")!.Split(Path.PathSeparator)
                .Any(path => File.Exists(Path.Combine(path, shell))),
            $"{shell} is not installed: apt-get install {shell}.");
        var tool = PathOf("wfperf");
        await File.WriteAllTextAsync(
            tool, $"#!/bin/sh\nexec dotnet '{typeof(CommandLine).Assembly.Location}' \"$@\"\n", Cancel);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(tool, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        }

        var start = new ProcessStartInfo(
            shell, shell == "fish" ? ["-c", Tabs[shell], line, expected] : ["-c", Tabs[shell], shell, line, expected])
        {
            RedirectStandardOutput = true, RedirectStandardError = true,
        };
        start.Environment["PATH"] = $"{Folder.FullName}{Path.PathSeparator}{Environment.GetEnvironmentVariable("PATH")}";
        start.Environment["HOME"] = Folder.FullName;
        using var process = Process.Start(start)!;
        var (output, error) =
            (process.StandardOutput.ReadToEndAsync(Cancel), process.StandardError.ReadToEndAsync(Cancel));
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        limit.CancelAfter(TimeSpan.FromMinutes(2));
        try
        {
            await process.WaitForExitAsync(limit.Token);
        }
        finally
        {
            process.Kill(entireProcessTree: true);
        }

        Assert.True((await output).Split('\n').Contains(expected), $"{await output}{await error}");
    }
}
