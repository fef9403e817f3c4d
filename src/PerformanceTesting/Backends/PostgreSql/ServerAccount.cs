using System.ComponentModel;

namespace PerformanceTesting.Backends.PostgreSql;

/// <summary>
/// The system's user that runs the server: ourselves, or <c>postgres</c> when we are root, which the server refuses.
/// </summary>
/// <param name="Prefix">Put before a command to run it as that user; empty when we are that user.</param>
internal sealed record ServerAccount(IReadOnlyList<string> Prefix)
{
    public const string Name = "postgres";

    public bool IsOther => Prefix.Count > 0;

    /// <summary>Finds how to become the user.</summary>
    /// <exception cref="BackendException">
    /// We are root, and there is no such user or no program to become it.
    /// </exception>
    public static async Task<ServerAccount> FindAsync(CancellationToken cancellationToken)
    {
        if (OperatingSystem.IsWindows() || !Environment.IsPrivilegedProcess)
        {
            return new ServerAccount([]);
        }

        // setpriv replaces itself by the command; runuser may stay as a parent. Both belong to util-linux.
        string[][] commands =
            [["setpriv", $"--reuid={Name}", $"--regid={Name}", "--init-groups", "--"], ["runuser", "-u", Name, "--"]];
        var refusals = new List<string>();
        foreach (var command in commands)
        {
            try
            {
                var probe =
                    await Command.RunAsync(command[0], [.. command[1..], "true"], cancellationToken: cancellationToken);
                if (probe.Succeeded)
                {
                    return new ServerAccount(command);
                }

                refusals.Add(probe.Describe());
            }
            catch (Win32Exception exception)
            {
                refusals.Add($"{command[0]}: {exception.Message}");
            }
        }

        throw new BackendException(
            $"PostgreSQL does not run as root, and the user '{Name}' cannot be used: {string.Join("; ", refusals)}. " +
            $"Create it (useradd --system {Name}) or run the tests as an ordinary user.");
    }

    /// <summary>Runs a server program as the user, from a directory the user may be in.</summary>
    public Task<CommandResult> RunAsync(
        string program, IReadOnlyList<string> arguments, CancellationToken cancellationToken)
    {
        string[] command = [.. Prefix, program, .. arguments];
        return Command.RunAsync(command[0], command[1..], cancellationToken: cancellationToken);
    }
}
