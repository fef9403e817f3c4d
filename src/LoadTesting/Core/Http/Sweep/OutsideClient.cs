namespace LoadTesting.Core.Http.Sweep;

/// <summary>
/// An external load generator on PATH, which shares no code with this one, and the parser of its output.
/// </summary>
public sealed partial class OutsideClient : SweepClient
{
    private readonly string _install;
    private readonly Func<Uri, int, int, IReadOnlyList<string>> _arguments;
    private readonly Func<string, SweepSample?> _read;

    private OutsideClient(
        string name, string install, Func<Uri, int, int, IReadOnlyList<string>> arguments,
        Func<string, SweepSample?> read) =>
        (Name, _install, _arguments, _read) = (name, install, arguments, read);

    /// <summary>
    /// <c>wrk</c>, <c>hey</c> and <c>autocannon</c>. <c>wrk</c> uses half the processors, like the lean sender.
    /// </summary>
    public static IReadOnlyList<OutsideClient> Known { get; } =
    [
        new("wrk", "apt-get install -y wrk", (target, workers, seconds) =>
        [
            $"-t{Math.Min(workers, Math.Max(1, Environment.ProcessorCount / 2))}", $"-c{workers}", $"-d{seconds}s",
            "--timeout", "30s",
            "--latency", $"{target}",
        ], ReadWrk),
        new("hey", "apt-get install -y hey", (target, workers, seconds) =>
            ["-z", $"{seconds}s", "-c", $"{workers}", "-t", "30", $"{target}"], ReadHey),
        new("autocannon", "npm install -g autocannon", (target, workers, seconds) =>
            ["-c", $"{workers}", "-d", $"{seconds}", "-t", "30", "--no-progress", "-j", $"{target}"], ReadAutocannon),
    ];

    public override string Name { get; }

    public override bool IsOutside => true;

    /// <summary>Whether it is on PATH.</summary>
    public bool IsInstalled => (Environment.GetEnvironmentVariable("PATH") ?? "")
        .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
        .Any(directory =>
            File.Exists(Path.Combine(directory, Name)) || File.Exists(Path.Combine(directory, Name + ".exe")));

    /// <summary>The command to install it.</summary>
    public string Install => _install;

    internal override Task<PreparedSweepClient> PrepareAsync(
        SweepOptions options, int workers, CancellationToken cancellationToken) =>
        Task.FromResult<PreparedSweepClient>(new Prepared(this, options.Target, workers));

    /// <summary>Reads the program's output; null if it has another format.</summary>
    internal SweepSample? Read(string output) => _read(output);

    private static SweepSample? ReadWrk(string output)
    {
        var (count, rate) = (WrkCount().Match(output), WrkRate().Match(output));
        if (!count.Success || !rate.Success)
        {
            return null;
        }

        // Its count includes failed responses.
        var failed = WrkStatuses().Match(output) is { Success: true } statuses ? Long(statuses.Groups[1].Value) : 0;
        var lost = WrkErrors().Match(output) is { Success: true } errors
            ? errors.Groups.Values.Skip(1).Sum(group => Long(group.Value)) : 0;
        var total = Long(count.Groups[1].Value);
        return new SweepSample
        {
            Requests = total - failed,
            RequestsPerSecond = total == 0 ? 0 : Double(rate.Groups[1].Value) * ((double)(total - failed) / total),
            Errors = failed + lost,
            Error = failed > 0
                ? $"{failed} responses were not 2xx or 3xx" : lost > 0 ? WrkErrors().Match(output).Value : null,
            P50Ms = WrkLatency(output, "50"),
            P99Ms = WrkLatency(output, "99"),
        };
    }

    private static double? WrkLatency(string output, string percentile) =>
        WrkPercentile().Matches(output).FirstOrDefault(match => match.Groups[1].Value == percentile) is { } found
            ? Double(found.Groups[2].Value) * found.Groups[3].Value switch { "us" => 0.001, "ms" => 1, "s" => 1_000,
                _ => 60_000 }
            : null;

    private static SweepSample? ReadHey(string output)
    {
        var rate = HeyRate().Match(output);
        if (!rate.Success)
        {
            return null;
        }

        var statuses = HeyStatuses().Matches(output)
            .Select(m => (Status: m.Groups[1].Value, Count: Long(m.Groups[2].Value))).ToList();
        var (ok, all) = (statuses.Where(s => s.Status[0] is '2').Sum(s => s.Count), statuses.Sum(s => s.Count));
        var distribution = output.IndexOf("Error distribution:", StringComparison.Ordinal);
        var errors = distribution < 0 ? [] : HeyErrors().Matches(output[distribution..]).ToList();
        return new SweepSample
        {
            Requests = ok,
            RequestsPerSecond =
                all == 0 ? 0 : Double(rate.Groups[1].Value) * ok / (all + errors.Sum(m => Long(m.Groups[1].Value))),
            Errors = all - ok + errors.Sum(m => Long(m.Groups[1].Value)),
            Error = errors.Count > 0 ? errors[0].Groups[2].Value.Trim()
                : statuses.FirstOrDefault(s => s.Status[0] is not '2') is { Status: { } status }
                    ? $"status {status}" : null,
            P50Ms = HeyLatency(output, "50"),
            P95Ms = HeyLatency(output, "95"),
            P99Ms = HeyLatency(output, "99"),
        };
    }

    private static double? HeyLatency(string output, string percentile) =>
        HeyPercentile().Matches(output).FirstOrDefault(match => match.Groups[1].Value == percentile) is { } found
            ? Double(found.Groups[2].Value) * 1_000
            : null;

    private static SweepSample? ReadAutocannon(string output)
    {
        var start = output.IndexOf('{', StringComparison.Ordinal);
        if (start < 0)
        {
            return null;
        }

        try
        {
            using var document = JsonDocument.Parse(output[start..]);
            var (root, latency) = (document.RootElement, document.RootElement.GetProperty("latency"));
            var ok = root.GetProperty("2xx").GetInt64();
            var (lost, other) = (root.GetProperty("errors").GetInt64(), root.GetProperty("non2xx").GetInt64());
            return new SweepSample
            {
                Requests = ok,
                RequestsPerSecond = ok / root.GetProperty("duration").GetDouble(),
                Errors = lost + other,
                Error = lost > 0
                    ? $"{lost} connection errors and time-outs" : other > 0 ? $"{other} responses were not 2xx" : null,
                P50Ms = latency.GetProperty("p50").GetDouble(),
                P99Ms = latency.GetProperty("p99").GetDouble(),
            };
        }
        catch (Exception exception) when (exception is JsonException or KeyNotFoundException)
        {
            return null;
        }
    }

    private static long Long(string text) => long.Parse(text, CultureInfo.InvariantCulture);

    private static double Double(string text) => double.Parse(text, CultureInfo.InvariantCulture);

    [GeneratedRegex(@"(\d+) requests in ")]
    private static partial Regex WrkCount();

    [GeneratedRegex(@"Requests/sec:\s+([0-9.]+)")]
    private static partial Regex WrkRate();

    [GeneratedRegex(@"Non-2xx or 3xx responses: (\d+)")]
    private static partial Regex WrkStatuses();

    [GeneratedRegex(@"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)")]
    private static partial Regex WrkErrors();

    [GeneratedRegex(@"^\s+(\d+)%\s+([0-9.]+)(us|ms|s|m)\s*$", RegexOptions.Multiline)]
    private static partial Regex WrkPercentile();

    [GeneratedRegex(@"Requests/sec:\s+([0-9.]+)")]
    private static partial Regex HeyRate();

    [GeneratedRegex(@"\[(\d{3})\]\s+(\d+) responses")]
    private static partial Regex HeyStatuses();

    [GeneratedRegex(@"^\s+\[(\d+)\]\s+(.+)$", RegexOptions.Multiline)]
    private static partial Regex HeyErrors();

    [GeneratedRegex(@"(\d+)%\s+in\s+([0-9.]+) secs")]
    private static partial Regex HeyPercentile();

    private sealed class Prepared(OutsideClient client, Uri target, int workers) : PreparedSweepClient
    {
        internal override async Task<SweepSample> MeasureAsync(TimeSpan duration, CancellationToken cancellationToken)
        {
            var start =
                new ProcessStartInfo(client.Name, client._arguments(target, workers, (int)duration.TotalSeconds))
            {
                RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true,
            };
            using var process = new Process { StartInfo = start };
            process.Start();
            process.StandardInput.Close();
            try
            {
                var (output, error) = (process.StandardOutput.ReadToEndAsync(cancellationToken),
                    process.StandardError.ReadToEndAsync(cancellationToken));
                await process.WaitForExitAsync(cancellationToken).ConfigureAwait(false);
                var text = await output.ConfigureAwait(false);
                return client.Read(text) ?? throw new InvalidOperationException(
                    $"'{client.Name} {string.Join(' ', start.ArgumentList)}' ended with {process.ExitCode} and printed "
                        + $"no figures: {text}{await error.ConfigureAwait(false)}");
            }
            catch (OperationCanceledException)
            {
                process.Kill(entireProcessTree: true);
                throw;
            }
        }

        public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
