using PerformanceTesting.Processes;

namespace IntegrationTests.Shared.Faults;

/// <summary>Stops a process and its children, like a paused machine: connections stay, and nothing answers.</summary>
public static class StandStill
{
    /// <summary>Linux only.</summary>
    /// <param name="processId">The process, for example the postmaster of a server.</param>
    /// <returns>Lets them go on.</returns>
    /// <exception cref="InvalidOperationException">The process cannot be stopped; says why.</exception>
    public static async Task<Func<Task>> BeginAsync(int processId)
    {
        var parent = $"{processId}";
        if (await SignalAsync("STOP", parent) is { Succeeded: false } failed)
        {
            throw new InvalidOperationException($"Process {parent} was not stopped: {failed.Describe()}");
        }

        // A child may have ended since: then there is one less to stop.
        var children = await File.ReadAllTextAsync($"/proc/{parent}/task/{parent}/children", CancellationToken.None);
        string[] all = [parent, .. children.Split(' ', StringSplitOptions.RemoveEmptyEntries)];
        await SignalAsync("STOP", all);
        return () => SignalAsync("CONT", all);
    }

    private static Task<CommandResult> SignalAsync(string signal, params string[] processes) =>
        Command.RunAsync("kill", ["-" + signal, .. processes], cancellationToken: CancellationToken.None);
}
