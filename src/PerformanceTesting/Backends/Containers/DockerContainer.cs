using System.Text.Json.Nodes;

namespace PerformanceTesting.Backends.Containers;

/// <summary>A container of the Docker Engine.</summary>
internal sealed class DockerContainer(DockerApi api, string id, string name, string host, IReadOnlyDictionary<int, int> ports)
    : IServerContainer
{
    private const string LogQuery = "stdout=true&stderr=true&tail=40";
    private const int MostPauses = 50;
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan EndTimeout = TimeSpan.FromSeconds(20);
    private static readonly ControlGroup Account = new();
    private volatile ContainerLog _log = new();
    private readonly CancellationTokenSource _end = new();
    private Task _following = Task.CompletedTask;
    private int _starts;

    public string Id => id;
    public string Name => name;
    public string Host => host;
    public string LogTail => _log.Tail;
    private string Path => $"/containers/{id}";

    public int PortOf(int containerPort) => ports.TryGetValue(containerPort, out var port)
        ? port
        : throw new ArgumentException(
            $"{name} publishes the ports [{string.Join(", ", ports.Keys)}], not {containerPort}.", nameof(containerPort));

    public async Task<ContainerState> ReadStateAsync(CancellationToken cancellationToken)
    {
        var state = (await api.GetAsync($"{Path}/json", cancellationToken)).GetProperty("State");
        var isRunning = state.GetProperty("Running").GetBoolean();
        if (!isRunning)
        {
            await ReadLogAsync(cancellationToken);
        }

        var process = state.GetProperty("Pid").GetInt32();
        return new ContainerState(
            isRunning,
            state.GetProperty("ExitCode").GetInt32(),
            IsHere(process) ? process : null,
            state.GetProperty("OOMKilled").GetBoolean());
    }

    public async Task<ContainerUsage?> ReadUsageAsync(CancellationToken cancellationToken)
    {
        if ((await ReadStateAsync(cancellationToken)).ProcessId is { } process && Account.Read(process) is { } here)
        {
            return here;
        }

        // Without one-shot the engine takes a second or two to compare two readings; what does not know it ignores it.
        var stats = await api.GetAsync($"{Path}/stats?stream=false&one-shot=true", cancellationToken);
        if (!stats.GetProperty("memory_stats").TryGetProperty("usage", out var usage))
        {
            return null; // It has ended.
        }

        var details = stats.GetProperty("memory_stats").TryGetProperty("stats", out var found) ? found : default;
        var droppable = Figure(details, "inactive_file") ?? Figure(details, "total_inactive_file") ?? 0; // Control groups version 2, 1.
        const double NanosecondsPerSecond = 1e9;
        var cpu = stats.GetProperty("cpu_stats").GetProperty("cpu_usage").GetProperty("total_usage").GetInt64() / NanosecondsPerSecond;
        return new ContainerUsage(cpu, usage.GetInt64() - droppable);
    }

    public async Task<CommandResult> ExecuteAsync(IReadOnlyList<string> command, CancellationToken cancellationToken)
    {
        var order = new JsonObject
        {
            ["AttachStdout"] = true,
            ["AttachStderr"] = true,
            ["Cmd"] = new JsonArray([.. command.Select(argument => (JsonNode)argument)]),
        };
        var exec = (await api.PostAsync($"{Path}/exec", order, cancellationToken))!.Value.GetProperty("Id").GetString();
        var (output, errors) = (new StringBuilder(), new StringBuilder());
        using (var content = DockerApi.Json(new JsonObject { ["Detach"] = false, ["Tty"] = false }))
        await using (var stream = await api.StreamAsync(HttpMethod.Post, $"/exec/{exec}/start", content, cancellationToken))
        {
            await foreach (var (isError, text) in DockerFrames.ReadAsync(stream, cancellationToken))
            {
                (isError ? errors : output).Append(text);
            }
        }

        var code = (await api.GetAsync($"/exec/{exec}/json", cancellationToken)).GetProperty("ExitCode").GetInt32();
        return new CommandResult(string.Join(' ', command), code, output.ToString(), errors.ToString());
    }

    public async Task KillAsync(CancellationToken cancellationToken)
    {
        await api.PostAsync($"{Path}/kill?signal=SIGKILL", null, cancellationToken);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(EndTimeout);
        try
        {
            await using var ended = await api.StreamAsync(HttpMethod.Post, $"{Path}/wait?condition=not-running", null, limit.Token);
            await JsonSerializer.DeserializeAsync<JsonElement>(ended, cancellationToken: limit.Token);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new BackendException($"{name} was killed and did not end within {EndTimeout.TotalSeconds} s.");
        }

        await ReadLogAsync(cancellationToken);
    }

    public async Task StartAgainAsync(CancellationToken cancellationToken)
    {
        await api.PostAsync($"{Path}/start", null, cancellationToken);
        FollowLog();
    }

    /// <summary>Keeps what a container that was started writes.</summary>
    internal void FollowLog() => _following = Task.WhenAll(_following, FollowAsync(Interlocked.Increment(ref _starts)));

    /// <summary>On a busy machine the kernel may fail to freeze a container, which then runs on: it is asked again.</summary>
    public async Task PauseAsync(CancellationToken cancellationToken)
    {
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                await api.PostAsync($"{Path}/pause", null, cancellationToken);
                return;
            }
            catch (BackendException refusal)
                when (attempt < MostPauses && refusal.Message.Contains("unable to freeze", StringComparison.Ordinal))
            {
                await Task.Delay(Interval, cancellationToken);
            }
        }
    }

    public Task ResumeAsync(CancellationToken cancellationToken) => api.PostAsync($"{Path}/unpause", null, cancellationToken);

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await api.DeleteAsync($"{Path}?force=true&v=true", CancellationToken.None);
        await _following;
        _end.Dispose();
    }

    private static long? Figure(JsonElement from, string name) =>
        from.ValueKind == JsonValueKind.Object && from.TryGetProperty(name, out var value) ? value.GetInt64() : null;

    /// <summary>An engine may be on another machine, or number processes otherwise: the kernel's own account decides.</summary>
    private bool IsHere(int process)
    {
        try
        {
            return process > 0 && File.ReadAllText($"/proc/{process}/cgroup").Contains(id, StringComparison.Ordinal);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false; // No such process here.
        }
    }

    /// <summary>Until the container ends: the engine may end the log of one that it has just started again, though it runs on.</summary>
    private async Task FollowAsync(int start)
    {
        try
        {
            do
            {
                await ReadLogAsync(start, follow: true, _end.Token);
                await Task.Delay(Interval, _end.Token);
            }
            while (IsLast(start) && (await ReadStateAsync(_end.Token)).IsRunning);
        }
        catch (Exception exception)
            when (exception is OperationCanceledException or IOException or HttpRequestException or BackendException)
        {
            if (!_end.IsCancellationRequested)
            {
                _log.Add($"(The engine no longer sends the log: {exception.Message})\n");
            }
        }
    }

    /// <summary>Reads the log of a container that has ended: whoever follows it gets its last piece late, or not at all.</summary>
    private Task ReadLogAsync(CancellationToken cancellationToken) =>
        ReadLogAsync(Volatile.Read(ref _starts), follow: false, cancellationToken);

    /// <param name="start">What belongs to an earlier start is not shown.</param>
    /// <param name="follow">Whether what is written from now on is shown as it comes.</param>
    private async Task ReadLogAsync(int start, bool follow, CancellationToken cancellationToken)
    {
        var log = new ContainerLog();
        await using var stream = await api.StreamAsync(
            HttpMethod.Get, $"{Path}/logs?{(follow ? "follow=true&" : "")}{LogQuery}", null, cancellationToken);
        await foreach (var (_, text) in DockerFrames.ReadAsync(stream, cancellationToken))
        {
            log.Add(text);
            Show(when: follow);
        }

        Show(when: !follow);

        void Show(bool when)
        {
            if (when && IsLast(start))
            {
                _log = log;
            }
        }
    }

    private bool IsLast(int start) => Volatile.Read(ref _starts) == start;
}

/// <summary>The last lines that a container writes, followed while it runs, for when it is gone. Thread-safe.</summary>
internal sealed class ContainerLog
{
    private const int Lines = 40;
    private readonly Lock _lock = new();
    private readonly Queue<string> _lines = new();
    private string _open = "";

    /// <summary>What was written last, in words.</summary>
    public string Tail
    {
        get
        {
            lock (_lock)
            {
                return _lines.Count == 0 && _open.Length == 0
                    ? "The container has written no log."
                    : $"Last lines of the container's log:{Environment.NewLine}"
                        + string.Join(Environment.NewLine, _open.Length > 0 ? _lines.Append(_open) : _lines);
            }
        }
    }

    /// <summary>Takes a piece of text, which may end anywhere.</summary>
    public void Add(string text)
    {
        lock (_lock)
        {
            var parts = (_open + text).Split('\n');
            foreach (var line in parts[..^1])
            {
                _lines.Enqueue(line.TrimEnd('\r'));
                if (_lines.Count > Lines)
                {
                    _lines.Dequeue();
                }
            }

            _open = parts[^1];
        }
    }
}
