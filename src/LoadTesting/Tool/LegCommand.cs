using System.Diagnostics;
using System.Globalization;

namespace LoadTesting.Tool;

/// <summary>Runs what a user typed for one leg, by the shell, with the results variable set to the leg's directory.</summary>
internal sealed class LegCommand(string command, TimeSpan timeout)
{
    public const string ResultsVariable = "WORKFLOW_PERF_RESULTS";
    public const string OutputFile = "output.txt";

    private const int TailLines = 15;

    /// <summary>Runs the command to its end; its output goes to a file in the directory.</summary>
    /// <returns>Null when it ended with 0; else how it ended, with the tail of its output.</returns>
    public async Task<string?> RunAsync(string directory, CancellationToken cancellationToken)
    {
        Directory.CreateDirectory(directory);
        using var process = new Process { StartInfo = Shell(directory) };
        var output = Path.Combine(directory, OutputFile);
        var writer = new StreamWriter(output);
        await using var closing = writer.ConfigureAwait(false);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(timeout);
        process.Start();
        process.StandardInput.Close();
        try
        {
            using var gate = new SemaphoreSlim(1, 1);
            await Task.WhenAll(CopyAsync(process.StandardOutput, writer, gate, limit.Token), CopyAsync(process.StandardError, writer, gate, limit.Token)).ConfigureAwait(false);
            await process.WaitForExitAsync(limit.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            cancellationToken.ThrowIfCancellationRequested();
            return await DescribeAsync(string.Create(CultureInfo.InvariantCulture, $"was not done after {timeout}; --timeout allows more"), writer, output).ConfigureAwait(false);
        }

        return process.ExitCode == 0 ? null : await DescribeAsync($"ended with code {process.ExitCode}", writer, output).ConfigureAwait(false);
    }

    private ProcessStartInfo Shell(string directory)
    {
        var start = OperatingSystem.IsWindows() ? new ProcessStartInfo("cmd.exe") { Arguments = "/d /s /c \"" + command + "\"" } : new ProcessStartInfo("/bin/sh", ["-c", command]);
        start.RedirectStandardInput = start.RedirectStandardOutput = start.RedirectStandardError = true;
        start.Environment[ResultsVariable] = Path.GetFullPath(directory);
        return start;
    }

    private static async Task CopyAsync(StreamReader from, StreamWriter to, SemaphoreSlim gate, CancellationToken cancellationToken)
    {
        while (await from.ReadLineAsync(cancellationToken).ConfigureAwait(false) is { } line)
        {
            await gate.WaitAsync(cancellationToken).ConfigureAwait(false);
            try
            {
                await to.WriteLineAsync(line).ConfigureAwait(false);
            }
            finally
            {
                gate.Release();
            }
        }
    }

    private async Task<string> DescribeAsync(string how, StreamWriter writer, string output)
    {
        await writer.FlushAsync(CancellationToken.None).ConfigureAwait(false);
        using var written = new StreamReader(new FileStream(output, FileMode.Open, FileAccess.Read, FileShare.ReadWrite));
        var lines = (await written.ReadToEndAsync(CancellationToken.None).ConfigureAwait(false)).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        return $"'{command}' {how}. Output: {string.Join(" | ", lines.TakeLast(TailLines))}";
    }
}
