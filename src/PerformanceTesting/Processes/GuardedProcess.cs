namespace PerformanceTesting.Processes;

/// <summary>
/// One run of a server's main process. On Unix a small shell stands between: it reads a pipe that only this process
/// holds, and when that closes, however we ended, it stops the server and removes the directory. On Windows the next
/// run's sweep does that.
/// </summary>
internal sealed class GuardedProcess : IDisposable
{
    // INT is an orderly stop of most servers, QUIT a quick one. The shell itself must outlive an interrupt that the
    // terminal sends to the whole group, which the server is no part of.
    private const string Guard = """
        trap '' INT TERM HUP
        owner=$1; root=$2; pidfile=$3; signals=$4; shift 4
        exec 3<&0 >>"$root/server.log" 2>&1
        "$@" </dev/null 3<&- &
        server=$!
        (
          while read -r line <&3; do :; done
          : >"$root/orphaned"
          for signal in $signals; do
            pid=$server
            [ -r "$pidfile" ] && read -r pid <"$pidfile"
            kill -s CONT "$pid"
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

    private GuardedProcess(Process process) => _process = process;

    public bool HasExited => _process.HasExited;

    /// <summary>
    /// Starts a server; it is not ready yet. What it prints goes to <c>server.log</c> in its directory.
    /// </summary>
    /// <param name="root">The server's directory, removed when its owner is gone.</param>
    /// <param name="processIdFile">Where the server writes its process id.</param>
    /// <param name="command">Program and arguments.</param>
    /// <param name="environment">Variables that the server gets besides ours.</param>
    /// <param name="signals">How an orphan is ended, each after ten seconds of the one before.</param>
    public static GuardedProcess Start(
        string root, string processIdFile, IReadOnlyList<string> command,
        IReadOnlyDictionary<string, string> environment, string signals)
    {
        var start = OperatingSystem.IsWindows()
            ? new ProcessStartInfo(command[0], command.Skip(1))
            : new ProcessStartInfo(
                "/bin/sh",
                ["-c", Guard, "server-guard", $"{Environment.ProcessId}", root, processIdFile, signals,
                    .. OwnSession.Of(command)]);
        start.RedirectStandardInput = true;
        start.WorkingDirectory = root;
        foreach (var (name, value) in environment)
        {
            start.Environment[name] = value;
        }

        var process = new Process { StartInfo = start };
        process.Start();
        return new GuardedProcess(process);
    }

    /// <summary>Waits until the server and its guard are gone, and lets go of them.</summary>
    /// <exception cref="OperationCanceledException">They are not within the limit.</exception>
    public async Task EndAsync(TimeSpan limit, TimeProvider time, CancellationToken cancellationToken)
    {
        using var deadline = new CancellationTokenSource(limit, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(deadline.Token, cancellationToken);
        await _process.WaitForExitAsync(either.Token);
        Dispose();
    }

    public void Dispose()
    {
        _process.StandardInput.Dispose();
        _process.Dispose();
    }
}
