using Docker.DotNet;
using Docker.DotNet.Models;
using DotNet.Testcontainers.Containers;

namespace PerformanceTesting.Backends.Containers;

/// <summary>A container that Testcontainers starts. The engine is asked for what Testcontainers lacks.</summary>
internal sealed class DockerContainer(
    DockerConnection docker, IContainer container, string name, IReadOnlyDictionary<int, int> ports) : IServerContainer
{
    private const int PauseAttempts = 50;
    private static readonly ControlGroup Account = new();
    private static readonly TimeSpan PauseInterval = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan EndInterval = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan EndTimeout = TimeSpan.FromSeconds(20);

    public string Id => container.Id;
    public string Name => name;
    public string Host => docker.Endpoint.PortHost;

    public int PortOf(int containerPort) => ports.TryGetValue(containerPort, out var port)
        ? port
        : throw new ArgumentException(
            $"{name} publishes the ports [{string.Join(", ", ports.Keys)}], not {containerPort}.",
            nameof(containerPort));

    public async Task<string> ReadLogTailAsync(CancellationToken cancellationToken)
    {
        var tail = new ContainerLogsParameters { ShowStdout = true, ShowStderr = true, Tail = "40" };
        using var text = new MemoryStream();
        try
        {
            await docker.AskAsync(
                $"read the log of {name}",
                async client =>
                {
                    using var log = await client.Containers.GetContainerLogsAsync(Id, tail, cancellationToken);
                    await log.CopyOutputToAsync(Stream.Null, text, text, cancellationToken);
                },
                cancellationToken);
        }
        catch (BackendException exception)
        {
            return $"The container's log cannot be read: {exception.Message}";
        }

        var lines = Encoding.UTF8.GetString(text.ToArray()).TrimEnd();
        return lines.Length == 0
            ? "The container has written no log."
            : $"Last lines of the container's log:{Environment.NewLine}{lines}";
    }

    public async Task<ContainerState> ReadStateAsync(CancellationToken cancellationToken)
    {
        var seen = await docker.AskAsync(
            $"inspect {name}",
            client => client.Containers.InspectContainerAsync(Id, cancellationToken),
            cancellationToken);
        var state = seen.State!;
        return new ContainerState(
            state.Running, (int)state.ExitCode, IsHere((int)state.Pid) ? (int)state.Pid : null, state.OOMKilled);
    }

    public async Task<ContainerUsage?> ReadUsageAsync(CancellationToken cancellationToken)
    {
        // The kernel's account is read at once; the engine answers at the next tick of its clock, up to a second later.
        if ((await ReadStateAsync(cancellationToken)).ProcessId is { } process && Account.Read(process) is { } here)
        {
            return here;
        }

        // One reading will do: without one-shot the engine compares two, a second apart.
        var once = new ContainerStatsParameters { Stream = false, OneShot = true };
        var readings = new ReceivedMessages<ContainerStatsResponse>();
        await docker.AskAsync(
            $"read the usage of {name}",
            client => client.Containers.GetContainerStatsAsync(Id, once, readings, cancellationToken),
            cancellationToken);
        if (readings.All is not [{ MemoryStats.Usage: { } used } reading, ..])
        {
            return null; // It has ended.
        }

        const double NanosecondsPerSecond = 1e9;
        var details = reading.MemoryStats.Stats;
        var droppable = Detail("inactive_file") ?? Detail("total_inactive_file") ?? 0; // Control groups version 2, 1.
        var cpu = reading.CPUStats!.CPUUsage!.TotalUsage / NanosecondsPerSecond;
        return new ContainerUsage(cpu, (long)(used - droppable));

        ulong? Detail(string key) => details is not null && details.TryGetValue(key, out var value) ? value : null;
    }

    public async Task KillAsync(CancellationToken cancellationToken)
    {
        var signal = new ContainerKillParameters { Signal = "SIGKILL" };
        await docker.AskAsync(
            $"kill {name}",
            client => client.Containers.KillContainerAsync(Id, signal, cancellationToken),
            cancellationToken);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(EndTimeout);
        await docker.AskAsync(
            $"end {name}", client => client.Containers.WaitContainerAsync(Id, limit.Token), cancellationToken);
    }

    /// <summary>
    /// Creates and starts it. Its program may have ended already: the wait for an answer reports the exit code and log.
    /// </summary>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        await docker.AskAsync($"start {name}", _ => CreateAndStartAsync(), cancellationToken);
        cancellationToken.ThrowIfCancellationRequested();
    }

    public Task StartAgainAsync(CancellationToken cancellationToken) => docker.AskAsync(
        $"start {name} again",
        client => client.Containers.StartContainerAsync(Id, new ContainerStartParameters(), cancellationToken),
        cancellationToken);

    /// <summary>
    /// On a busy machine the kernel may fail to freeze a container, which then runs on: it is asked again.
    /// </summary>
    public Task PauseAsync(CancellationToken cancellationToken) => docker.AskAsync(
        $"pause {name}",
        async _ =>
        {
            for (var attempt = 1; ; attempt++)
            {
                try
                {
                    await container.PauseAsync(cancellationToken);
                    return;
                }
                catch (DockerApiException refusal)
                    when (attempt < PauseAttempts
                        && refusal.Message.Contains("unable to freeze", StringComparison.Ordinal))
                {
                    await Task.Delay(PauseInterval, cancellationToken);
                }
            }
        },
        cancellationToken);

    public Task ResumeAsync(CancellationToken cancellationToken) =>
        docker.AskAsync($"resume {name}", _ => container.UnpauseAsync(cancellationToken), cancellationToken);

    /// <summary>
    /// Removes it by name: a start that failed may not have learnt the id. Testcontainers only stops what its reaper
    /// does not look after.
    /// </summary>
    public async ValueTask DisposeAsync() => await docker.RemoveAsync(name, CancellationToken.None);

    /// <summary>
    /// The caller does not cancel it: the engine would go on to create a container that nobody removes. Testcontainers
    /// waits 15 s for the ports of a container that has ended, unless that wait is cancelled.
    /// </summary>
    private async Task CreateAndStartAsync()
    {
        using var ended = new CancellationTokenSource();
        var start = container.StartAsync(ended.Token);
        try
        {
            while (await Task.WhenAny(start, Task.Delay(EndInterval)) != start)
            {
                if (container.State == TestcontainersStates.Exited)
                {
                    await ended.CancelAsync();
                }
            }

            await start;
        }
        catch (Exception exception) when (exception is ContainerNotRunningException || ended.IsCancellationRequested)
        {
            // It was started, and ended.
        }
    }

    /// <summary>
    /// An engine may be on another machine, or number processes otherwise: the kernel's own account decides.
    /// </summary>
    private bool IsHere(int process)
    {
        try
        {
            return process > 0 && File.ReadAllText($"/proc/{process}/cgroup").Contains(Id, StringComparison.Ordinal);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false; // No such process here.
        }
    }
}
