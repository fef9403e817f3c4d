namespace LoadTesting.Core.Http.Sweep;

/// <summary>What a sweep measures.</summary>
public sealed record SweepOptions
{
    /// <summary>What is fetched with GET, over and over.</summary>
    public required Uri Target { get; init; }

    /// <summary>Who fetches it; the first is what the others are compared with.</summary>
    public required IReadOnlyList<SweepClient> Clients { get; init; }

    /// <summary>Connections at a time, each with one request under way; one step for each number. Default 1 to 2,000.</summary>
    public IReadOnlyList<int> Workers { get; init; } = [1, 10, 50, 100, 200, 500, 1_000, 2_000];

    /// <summary>Rounds over all steps and clients; figures are medians over them. Default 3.</summary>
    public int Rounds { get; init; } = 3;

    /// <summary>
    /// How long one client is measured at one step of a round, after a warm-up of the same length, of a second at most. Default 3 s;
    /// outside clients take whole seconds.
    /// </summary>
    public TimeSpan Duration { get; init; } = TimeSpan.FromSeconds(3);

    /// <summary>The process behind <see cref="Target"/> where it runs on this machine; null where it does not.</summary>
    public int? ServiceProcessId { get; init; }

    /// <exception cref="ArgumentException">The message lists what is wrong.</exception>
    internal void Validate()
    {
        var wrong = new List<string>();
        if (Clients.Count == 0 || Clients.DistinctBy(client => client.Name).Count() != Clients.Count)
        {
            wrong.Add($"clients '{string.Join(", ", Clients.Select(client => client.Name))}' are none, or one of them twice");
        }

        if (Workers.Count == 0 || Workers.Any(workers => workers is < 1 or > 60_000) || Workers.Distinct().Count() != Workers.Count)
        {
            wrong.Add($"workers '{string.Join(", ", Workers)}' are not different numbers from 1 to 60,000");
        }

        if (Rounds is < 1 or > 1_000)
        {
            wrong.Add($"{Rounds} rounds are not 1 to 1,000");
        }

        if (Duration < TimeSpan.FromMilliseconds(100) || Duration > TimeSpan.FromHours(1))
        {
            wrong.Add($"a duration of {Duration} is not between 100 ms and one hour");
        }
        else if (Duration.Ticks % TimeSpan.TicksPerSecond != 0 && Clients.Any(client => client.IsOutside))
        {
            wrong.Add($"a duration of {Duration} is no whole number of seconds, as outside clients take them");
        }

        if (wrong.Count > 0)
        {
            throw new ArgumentException($"The sweep cannot be made: {string.Join("; ", wrong)}.");
        }
    }
}

/// <summary>One client at one step in one round.</summary>
public sealed record SweepSample
{
    /// <summary>Responses with success.</summary>
    public required long Requests { get; init; }

    /// <summary>Those per second of real time.</summary>
    public required double RequestsPerSecond { get; init; }

    /// <summary>Everything else, each once.</summary>
    public required long Errors { get; init; }

    /// <summary>What the most frequent error was; null without one.</summary>
    public string? Error { get; init; }

    /// <summary>Percentiles of the time from request to response; null where the client does not report that one.</summary>
    public double? P50Ms { get; init; }

    public double? P95Ms { get; init; }
    public double? P99Ms { get; init; }

    /// <summary>Processors that the client used; null where that cannot be read.</summary>
    public double? ClientCores { get; init; }

    /// <summary>Processors that the service used; null where it is not known.</summary>
    public double? ServiceCores { get; init; }

    /// <summary>Most memory of this process; null for a client that is another one.</summary>
    public long? ClientBytes { get; init; }
}

public sealed record SweepStep(int Workers, string Client, IReadOnlyList<SweepSample> Samples)
{
    public double RequestsPerSecond => Median(sample => sample.RequestsPerSecond)!.Value;

    public long Errors => Samples.Sum(sample => sample.Errors);

    /// <summary>Median of one figure over the rounds that have it; null where none has.</summary>
    public double? Median(Func<SweepSample, double?> figure)
    {
        var sorted = Samples.Select(figure).OfType<double>().Order().ToArray();
        return sorted.Length == 0 ? null : (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
    }

    /// <summary>Median over the rounds of the rate over that of another client in the same round.</summary>
    public double? Over(SweepStep other)
    {
        ArgumentNullException.ThrowIfNull(other);
        var ratios = Samples.Zip(other.Samples, (own, its) => its.RequestsPerSecond > 0 ? own.RequestsPerSecond / its.RequestsPerSecond : 0)
            .Where(ratio => ratio > 0).Order().ToArray();
        return ratios.Length == 0 ? null : (ratios[(ratios.Length - 1) / 2] + ratios[ratios.Length / 2]) / 2;
    }
}

/// <summary>What a sweep found, by step and client in the order in which they were given.</summary>
public sealed record SweepResult(SweepOptions Options, IReadOnlyList<SweepStep> Steps)
{
    /// <exception cref="KeyNotFoundException">There is none.</exception>
    public SweepStep At(int workers, string client) => Steps.FirstOrDefault(step => step.Workers == workers && step.Client == client)
        ?? throw new KeyNotFoundException($"The sweep has no step of {workers} workers by '{client}'.");
}

/// <summary>
/// Where the ceiling of a generator lies: clients fetch the same address with more and more workers. All clients of a step follow each
/// other in each round, in turning order, so that what the machine does meanwhile meets all of them.
/// </summary>
public static class WorkerSweep
{
    private const string Generator = "generator";
    private const string Service = "service";

    /// <param name="options">What is measured.</param>
    /// <param name="progress">Hears of each sample.</param>
    /// <param name="cancellationToken">Ends it; the result is lost.</param>
    /// <exception cref="ArgumentException">The options cannot be used; the message lists what is wrong.</exception>
    /// <exception cref="InvalidOperationException">An outside client reported nothing that can be read.</exception>
    public static async Task<SweepResult> RunAsync(
        SweepOptions options, Action<int, int, string, SweepSample>? progress, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        var samples = new Dictionary<(int Workers, string Client), List<SweepSample>>();
        for (var round = 0; round < options.Rounds; round++)
        {
            foreach (var workers in options.Workers)
            {
                var turn = options.Clients.Select((_, index) => options.Clients[(index + round) % options.Clients.Count]);
                foreach (var client in turn)
                {
                    var sample = await MeasureAsync(options, client, workers, cancellationToken).ConfigureAwait(false);
                    samples.TryAdd((workers, client.Name), []);
                    samples[(workers, client.Name)].Add(sample);
                    progress?.Invoke(round, workers, client.Name, sample);
                }
            }
        }

        return new SweepResult(options,
        [
            .. options.Workers.SelectMany(workers => options.Clients.Select(client =>
                new SweepStep(workers, client.Name, samples[(workers, client.Name)]))),
        ]);
    }

    private static async Task<SweepSample> MeasureAsync(
        SweepOptions options, SweepClient client, int workers, CancellationToken cancellationToken)
    {
        var prepared = await client.PrepareAsync(options, workers, cancellationToken).ConfigureAwait(false);
        await using var ending = prepared.ConfigureAwait(false);
        List<WatchedProcess> watched = [new(Generator, Environment.ProcessId, WithChildren: client.IsOutside)];
        if (options.ServiceProcessId is { } service)
        {
            watched.Add(new(Service, service));
        }

        var watch = ProcessUsageWatch.Start(watched);
        await using var watching = watch.ConfigureAwait(false);
        var sample = await prepared.MeasureAsync(options.Duration, cancellationToken).ConfigureAwait(false);
        var used = await watch.StopAsync().ConfigureAwait(false);
        var (own, its) = (used.Processes.GetValueOrDefault(Generator), used.Processes.GetValueOrDefault(Service));

        // The service is a child of this process where the sweep has started it.
        var seconds = used.Duration.TotalSeconds;
        return sample with
        {
            ClientCores = own is null ? null : Math.Max(0, own.CpuSeconds - (client.IsOutside ? its?.CpuSeconds ?? 0 : 0)) / seconds,
            ServiceCores = its?.CpuSeconds / seconds,
            ClientBytes = client.IsOutside ? null : own?.PeakMemoryBytes,
        };
    }
}
