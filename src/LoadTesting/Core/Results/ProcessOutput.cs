using System.ComponentModel;

namespace LoadTesting.Core.Results;

internal static class ProcessOutput
{
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(10);

    /// <summary>Standard output, or null when the command is not installed, fails, or is not done after 10 s.</summary>
    public static async Task<string?> ReadAsync(
        string directory, string command, string[] arguments, CancellationToken cancellationToken)
    {
        using var process = new Process
        {
            StartInfo = new ProcessStartInfo(command, arguments)
            {
                WorkingDirectory = directory,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
                UseShellExecute = false,
            },
        };
        try
        {
            process.Start();
        }
        catch (Win32Exception)
        {
            // Not installed: the caller reports null with its reason.
            return null;
        }

        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(Deadline);
        try
        {
            var error = process.StandardError.ReadToEndAsync(limit.Token);
            var output = await process.StandardOutput.ReadToEndAsync(limit.Token).ConfigureAwait(false);
            await error.ConfigureAwait(false);
            await process.WaitForExitAsync(limit.Token).ConfigureAwait(false);
            return process.ExitCode == 0 ? output : null;
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            cancellationToken.ThrowIfCancellationRequested();
            return null;
        }
    }
}
