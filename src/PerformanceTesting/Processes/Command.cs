namespace PerformanceTesting.Processes;

/// <summary>Runs a program to its end. A cancelled run takes the program's whole process tree with it.</summary>
public static class Command
{
    /// <summary>Runs <paramref name="file"/> and waits for it.</summary>
    /// <param name="file">Program, by path or found on PATH.</param>
    /// <param name="arguments">Arguments, passed one by one without a shell.</param>
    /// <param name="environment">Variables to set (or, where null, to remove) on top of the inherited ones.</param>
    /// <exception cref="System.ComponentModel.Win32Exception">The program does not exist or may not be run.</exception>
    public static async Task<CommandResult> RunAsync(
        string file,
        IReadOnlyList<string> arguments,
        IReadOnlyDictionary<string, string?>? environment = null,
        CancellationToken cancellationToken = default)
    {
        var start = new ProcessStartInfo(file, arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var (name, value) in environment ?? new Dictionary<string, string?>())
        {
            start.Environment[name] = value;
        }

        using var process = new Process { StartInfo = start };
        process.Start();
        process.StandardInput.Close();
        try
        {
            var output = process.StandardOutput.ReadToEndAsync(cancellationToken);
            var error = process.StandardError.ReadToEndAsync(cancellationToken);
            await process.WaitForExitAsync(cancellationToken);
            return new CommandResult(
                string.Join(' ', [file, .. arguments]), process.ExitCode, await output, await error);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            throw;
        }
    }
}
