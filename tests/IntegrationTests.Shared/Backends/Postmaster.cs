using System.Diagnostics;

namespace IntegrationTests.Shared.Backends;

/// <summary>
/// One run of a server's main process. On Unix a small shell stands between: it reads a pipe that only this process holds, and when
/// that closes, however we ended, it stops the server and removes the directory. On Windows the next run's sweep does that.
/// </summary>
internal sealed class Postmaster : IDisposable
{
    // INT is a fast shutdown, QUIT an immediate one. The shell itself must outlive an interrupt that the terminal sends to the whole group.
    private const string Guard = """
        trap '' INT TERM HUP
        owner=$1; root=$2; shift 2
        exec 3<&0 >>"$root/server.log" 2>&1
        "$@" </dev/null 3<&- &
        server=$!
        (
          while read -r line <&3; do :; done
          : >"$root/orphaned"
          for signal in INT QUIT KILL; do
            pid=$server
            [ -r "$root/data/postmaster.pid" ] && read -r pid <"$root/data/postmaster.pid"
            kill -s "$signal" "$pid"
            waited=0
            while [ "$waited" -lt 20 ] && kill -0 "$pid" 2>/dev/null; do sleep 0.5; waited=$((waited + 1)); done
          done
        ) &
        watcher=$!
        wait "$server"; code=$?
        kill -s KILL "$watcher" 2>/dev/null
        if [ -e "$root/orphaned" ] || ! kill -0 "$owner" 2>/dev/null; then rm -rf "$root"; fi
        exit "$code"
        """;

    private readonly Process _process;

    private Postmaster(Process process) => _process = process;

    public bool HasExited => _process.HasExited;

    /// <summary>Starts the server of a directory; it is not ready yet.</summary>
    public static Postmaster Start(PostgresCluster cluster)
    {
        string[] server = [.. cluster.Account.Prefix, cluster.Binaries.Postgres, "-D", cluster.Data];
        var start = OperatingSystem.IsWindows()
            ? new ProcessStartInfo(server[0], [.. server[1..], "-c", "logging_collector=on", "-c", $"log_directory={cluster.Root}", "-c", "log_filename=server.log"])
            : new ProcessStartInfo("/bin/sh", ["-c", Guard, "postgres-guard", $"{Environment.ProcessId}", cluster.Root, .. server]);
        start.RedirectStandardInput = true;
        start.WorkingDirectory = cluster.Root;
        var process = new Process { StartInfo = start };
        process.Start();
        return new Postmaster(process);
    }

    /// <summary>Waits until the server and its guard are gone.</summary>
    public Task WaitForExitAsync(CancellationToken cancellationToken) => _process.WaitForExitAsync(cancellationToken);

    public void Dispose()
    {
        _process.StandardInput.Dispose();
        _process.Dispose();
    }
}
