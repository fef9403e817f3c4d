namespace LoadTesting.Tool;

/// <summary>Runs a process with a time limit.</summary>
internal static class BoundedProcess
{
    private const int TailLines = 15;

    /// <summary>
    /// Runs the process to its end, without input. After the time limit or on cancellation the process and its children
    /// are killed.
    /// </summary>
    /// <param name="timeout">How long it may take.</param>
    /// <param name="take">Takes the lines of its output and of its errors, one at a time.</param>
    /// <returns>Null when it ended with 0; else how it ended, with the tail of its output.</returns>
    public static async Task<string?> RunAsync(
        ProcessStartInfo start, TimeSpan timeout, Func<string, Task> take, CancellationToken cancellationToken)
    {
        start.RedirectStandardInput = start.RedirectStandardOutput = start.RedirectStandardError = true;
        var tail = new Queue<string>();
        using var turn = new SemaphoreSlim(1, 1);
        using var process = new Process { StartInfo = start };
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(timeout);
        process.Start();
        process.StandardInput.Close();
        try
        {
            await Task.WhenAll(ReadAsync(process.StandardOutput), ReadAsync(process.StandardError))
                .ConfigureAwait(false);
            await process.WaitForExitAsync(limit.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            cancellationToken.ThrowIfCancellationRequested();
            return Ended(
                string.Create(CultureInfo.InvariantCulture, $"did not end within {timeout}; raise --timeout"));
        }

        return process.ExitCode == 0 ? null : Ended($"ended with code {process.ExitCode}");

        string Ended(string how) => $"{how}. Output: {string.Join(" | ", tail)}";

        async Task ReadAsync(StreamReader from)
        {
            while (await from.ReadLineAsync(limit.Token).ConfigureAwait(false) is { } line)
            {
                await turn.WaitAsync(limit.Token).ConfigureAwait(false);
                try
                {
                    await take(line).ConfigureAwait(false);
                    if (line.Length > 0)
                    {
                        tail.Enqueue(line);
                    }

                    if (tail.Count > TailLines)
                    {
                        tail.Dequeue();
                    }
                }
                finally
                {
                    turn.Release();
                }
            }
        }
    }
}
