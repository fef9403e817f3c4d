using System.Security.Cryptography;
using PerformanceTesting.Backends;

namespace PerformanceTesting.Processes;

/// <summary>
/// An installed server program in a private directory, on a free port of 127.0.0.1, with a random password. It ends
/// with this process, whatever way that ends, and can be killed, paused and started again for fault tests.
/// </summary>
/// <param name="kind">Of the server, lower case; part of the directory's name.</param>
/// <param name="program">What is started, for messages.</param>
/// <param name="time">Clock of the deadlines; the system's when null.</param>
/// <param name="inMemory">Whether the directory is in memory, where there is room for it.</param>
internal abstract class NativeServer(string kind, string program, TimeProvider? time, bool inMemory = false)
    : ServerHost
{
    private const int PortAttempts = 3;
    private const int LogTailLines = 40;
    private readonly TimeProvider _time = time ?? TimeProvider.System;
    private GuardedProcess? _process;

    public override ProvisionMode Provision => ProvisionMode.Native;

    /// <summary>The private directory: settings, log, data. The derived class creates it before the start.</summary>
    public override string DirectoryPath { get; } = OwnedDirectory.NewPath(kind, inMemory);

    /// <summary>Chosen by <see cref="StartAsync"/>, and kept when the server starts again.</summary>
    public int Port { get; private set; }

    public string Password { get; } = Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16));

    public override string Description => $"native server (host=127.0.0.1, port={Port}, {program})";

    public string LogTail => File.Exists(PathOf("server.log"))
        ? $"Last lines of the server's log:{Environment.NewLine}"
            + string.Join(Environment.NewLine, File.ReadLines(PathOf("server.log")).TakeLast(LogTailLines))
        : "The server has written no log.";

    public override int? ProcessId => ReadProcessId(ProcessIdFile);

    /// <summary>Whether it was started and neither killed nor stopped since.</summary>
    protected bool IsStarted => _process is not null;

    /// <summary>Where the server writes its process id, by its name in the directory.</summary>
    protected abstract string ProcessIdFile { get; }

    /// <summary>How long a start may take.</summary>
    protected abstract TimeSpan StartTimeout { get; }

    /// <summary>How long an end may take.</summary>
    protected virtual TimeSpan ExitTimeout => StartTimeout;

    /// <summary>Pause between two questions whether it answers.</summary>
    protected abstract TimeSpan Pause { get; }

    /// <summary>
    /// How a server that outlives this process is ended, each signal after ten seconds of the one before.
    /// </summary>
    protected virtual string OrphanSignals => "INT QUIT KILL";

    /// <summary>What the log says when another process was quicker to take the port.</summary>
    protected abstract string PortTaken { get; }

    /// <summary>Finds a program on PATH, then in other places.</summary>
    /// <returns>Null when there is none; on Windows none is looked for.</returns>
    public static string? FindProgram(string name, params IReadOnlyList<string> otherPlaces) =>
        OperatingSystem.IsWindows()
        ? null
        : (Environment.GetEnvironmentVariable("PATH") ?? "")
            .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
            .Concat(otherPlaces).Select(directory => Path.Combine(directory, name)).FirstOrDefault(File.Exists);

    /// <summary>Starts the server on a free port and waits until it answers.</summary>
    /// <exception cref="BackendException">It does not come up; the message holds the end of its log.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        for (var attempt = 1; ; attempt++)
        {
            ChoosePorts();
            if (await TryStartAsync(cancellationToken))
            {
                return;
            }

            if (!CanStartOtherwise()
                && (attempt >= PortAttempts || !LogTail.Contains(PortTaken, StringComparison.Ordinal)))
            {
                throw new BackendException($"{Description} did not start.{Environment.NewLine}{LogTail}");
            }
        }
    }

    public override Task<string> ReadLogTailAsync(CancellationToken cancellationToken) => Task.FromResult(LogTail);

    public override Task PauseAsync(CancellationToken cancellationToken) => SignalAsync("STOP", cancellationToken);

    public override Task ContinueAsync(CancellationToken cancellationToken) => SignalAsync("CONT", cancellationToken);

    public override async Task StartAgainAsync(CancellationToken cancellationToken)
    {
        if (_process is not null)
        {
            throw new BackendException($"{Description} runs already. Stop or kill it first.");
        }

        var start = _time.GetTimestamp();
        while (!await TryStartAsync(cancellationToken))
        {
            if (!IsHeldByPreviousRun() || _time.GetElapsedTime(start) > StartTimeout)
            {
                throw new BackendException($"{Description} did not start again.{Environment.NewLine}{LogTail}");
            }

            await Task.Delay(Pause, _time, cancellationToken);
        }
    }

    public override async Task KillAsync(CancellationToken cancellationToken)
    {
        var start = _time.GetTimestamp();
        while (ProcessId is null && _process is { HasExited: false } && _time.GetElapsedTime(start) < ExitTimeout)
        {
            await Task.Delay(Pause, _time, cancellationToken); // It writes its id a moment after its start.
        }

        try
        {
            using var process = Process.GetProcessById(
                ProcessId
                    ?? throw new BackendException($"{Description} does not run, "
                        + "so it cannot be killed. Start it first."));
            process.Kill();
        }
        catch (ArgumentException)
        {
            // It has ended meanwhile.
        }

        await EndAsync(cancellationToken);
    }

    /// <summary>Sends a signal to the server's main process, by its name without SIG.</summary>
    /// <exception cref="BackendException">It does not run, or cannot be sent it.</exception>
    protected async Task SignalAsync(string signal, CancellationToken cancellationToken)
    {
        var id = ProcessId
            ?? throw new BackendException($"{Description} does not run, so it cannot be sent "
                + $"SIG{signal}. Start it first.");
        if (await ProcessSignals.SendAsync(id, signal, cancellationToken) is { } problem)
        {
            throw new BackendException($"{Description}: {problem}");
        }
    }

    /// <summary>Kills the server and removes its directory.</summary>
    public override async ValueTask DisposeAsync()
    {
        if (_process is { HasExited: true })
        {
            await EndAsync(CancellationToken.None);
        }
        else if (_process is not null)
        {
            await KillAsync(CancellationToken.None); // A paused one would not notice anything else.
        }

        Delete();
    }

    /// <summary>Chooses free ports for the next attempt to start.</summary>
    protected virtual void ChoosePorts() => Port = LoopbackPort.Free();

    /// <summary>Writes what the server reads at its start.</summary>
    protected abstract Task ConfigureAsync(CancellationToken cancellationToken);

    /// <summary>Program and arguments.</summary>
    protected abstract IReadOnlyList<string> CommandLine();

    /// <summary>Variables that the server gets besides ours.</summary>
    protected virtual IReadOnlyDictionary<string, string> Variables() => new Dictionary<string, string>();

    /// <summary>Whether the server is ready.</summary>
    protected abstract Task<bool> AnswersAsync(CancellationToken cancellationToken);

    /// <summary>After a start that failed: whether something was changed, so that the next may succeed.</summary>
    protected virtual bool CanStartOtherwise() => false;

    /// <summary>After a start that failed: whether what is left of the run before prevents it, which passes.</summary>
    protected virtual bool IsHeldByPreviousRun() => false;

    protected string PathOf(string name) => Path.Combine(DirectoryPath, name);

    protected int? ReadProcessId(string file) =>
        _process is { HasExited: false } && File.Exists(PathOf(file))
            && int.TryParse(File.ReadLines(PathOf(file)).FirstOrDefault(), CultureInfo.InvariantCulture, out var id)
            ? id : null;

    /// <summary>Writes a file that holds a secret.</summary>
    protected async Task WritePrivateAsync(string name, string text, CancellationToken cancellationToken)
    {
        await File.WriteAllTextAsync(PathOf(name), "", cancellationToken);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(PathOf(name), UnixFileMode.UserRead | UnixFileMode.UserWrite);
        }

        await File.WriteAllTextAsync(PathOf(name), text, cancellationToken);
    }

    /// <summary>Waits until the server and its guard are gone.</summary>
    protected async Task EndAsync(CancellationToken cancellationToken)
    {
        await _process!.EndAsync(ExitTimeout, _time, cancellationToken);
        _process = null;
    }

    protected void Delete()
    {
        if (Directory.Exists(DirectoryPath))
        {
            Directory.Delete(DirectoryPath, recursive: true);
        }
    }

    /// <returns>False when it has ended instead of answering.</returns>
    /// <exception cref="BackendException">It does neither in time; the message holds the end of its log.</exception>
    private async Task<bool> TryStartAsync(CancellationToken cancellationToken)
    {
        await ConfigureAsync(cancellationToken);
        _process =
            GuardedProcess.Start(DirectoryPath, PathOf(ProcessIdFile), CommandLine(), Variables(), OrphanSignals);
        var start = _time.GetTimestamp();
        while (!await AnswersAsync(cancellationToken))
        {
            if (_process.HasExited)
            {
                await EndAsync(cancellationToken);
                return false;
            }

            if (_time.GetElapsedTime(start) > StartTimeout)
            {
                throw new BackendException(
                    $"{Description} did not answer within {StartTimeout.TotalSeconds} "
                        + $"s.{Environment.NewLine}{LogTail}");
            }

            await Task.Delay(Pause, _time, cancellationToken);
        }

        return true;
    }
}
