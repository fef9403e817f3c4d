namespace LoadTesting.Core.Http.Sweep;

/// <summary>
/// Finds the ceiling of a generator: clients fetch the same address with increasing numbers of workers. In each round
/// all clients of a step run one after the other in rotating order, so that changes of the machine affect all of them.
/// </summary>
public static class WorkerSweep
{
    private const string Generator = "generator";
    private const string Service = "service";

    /// <param name="options">Settings.</param>
    /// <param name="progress">Called with each sample; null for none.</param>
    /// <param name="cancellationToken">Cancels the sweep; the result is lost.</param>
    /// <exception cref="ArgumentException">The options cannot be used; the message lists what is wrong.</exception>
    /// <exception cref="InvalidOperationException">The output of an external client could not be read.</exception>
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
                var turn =
                    options.Clients.Select((_, index) => options.Clients[(index + round) % options.Clients.Count]);
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

        // If the sweep started the service, it is a child of this process.
        var seconds = used.Duration.TotalSeconds;
        return sample with
        {
            ClientCores = own is null
                ? null
                : Math.Max(0, own.CpuSeconds - (client.IsOutside ? its?.CpuSeconds ?? 0 : 0)) / seconds,
            ServiceCores = its?.CpuSeconds / seconds,
            ClientBytes = client.IsOutside ? null : own?.PeakMemoryBytes,
        };
    }
}
