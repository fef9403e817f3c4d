namespace PerformanceTesting.Processes;

/// <summary>Sends signals to processes of Unix.</summary>
internal static class ProcessSignals
{
    private static readonly TimeSpan s_longestStop = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Sends a signal by its name without SIG. After STOP no thread of the process runs any more, where the system says
    /// so (Linux): on a busy machine one may go on for a moment after the signal was sent.
    /// </summary>
    /// <returns>The error; null if there is none.</returns>
    public static async Task<string?> SendAsync(int id, string signal, CancellationToken cancellationToken)
    {
        var result = await Command.RunAsync("kill", [$"-{signal}", $"{id}"], cancellationToken: cancellationToken);
        if (!result.Succeeded)
        {
            return result.Describe();
        }

        var began = Stopwatch.GetTimestamp();
        while (signal == "STOP" && OperatingSystem.IsLinux() && Running(id) is { Count: > 0 } running)
        {
            if (Stopwatch.GetElapsedTime(began) > s_longestStop)
            {
                return $"{s_longestStop.TotalSeconds} s after SIGSTOP threads of process {id} still run: "
                    + $"{string.Join(", ", running)}.";
            }

            await Task.Delay(1, cancellationToken);
        }

        return null;
    }

    /// <summary>Threads that are neither stopped nor gone, each with the letter of its state (proc(5)).</summary>
    private static List<string> Running(int id)
    {
        var running = new List<string>();
        foreach (var thread in Directory.EnumerateDirectories($"/proc/{id}/task"))
        {
            try
            {
                var stat = File.ReadAllText(Path.Combine(thread, "stat"));
                var state = stat[stat.LastIndexOf(')') + 2];
                if (state is not ('T' or 't' or 'Z' or 'X'))
                {
                    running.Add($"{Path.GetFileName(thread)} {state}");
                }
            }
            catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
            {
                // It has ended since its folder was seen.
            }
        }

        return running;
    }
}
