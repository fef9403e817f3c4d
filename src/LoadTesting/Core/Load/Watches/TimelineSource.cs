namespace LoadTesting.Core.Load.Watches;

/// <summary>What reads, beside a load, figures that the instrument cannot know: processors of other processes, work that waits in a
/// service.</summary>
public interface ITimelineSource
{
    /// <summary>Reads all of it. Called about once a second, never twice at a time; what takes longer than a second is missing from that
    /// second.</summary>
    ValueTask<TimelineReading> ReadAsync(CancellationToken cancellationToken);
}

/// <summary>Figures at one moment; null where nothing is known. Processor times are sums since any moment that stays the same.</summary>
public sealed record TimelineReading
{
    /// <summary>Processor seconds of the generator's process.</summary>
    public double? GeneratorCpuSeconds { get; init; }

    /// <summary>Processor seconds of the service, where it has a process of its own.</summary>
    public double? ServiceCpuSeconds { get; init; }

    /// <summary>Processor seconds of the backend's processes.</summary>
    public double? DatabaseCpuSeconds { get; init; }

    /// <summary>Processor seconds that the whole machine used, with stolen ones.</summary>
    public double? MachineCpuSeconds { get; init; }

    /// <summary>Processor seconds that the hypervisor gave to others.</summary>
    public double? StolenCpuSeconds { get; init; }

    /// <summary>Seconds in which threads of the run were ready to run and waited for a processor, all threads together.</summary>
    public double? RunDelaySeconds { get; init; }

    /// <summary>Work that waits in the service.</summary>
    public double? Backlog { get; init; }

    /// <summary>Seconds that the server's sessions spent in each wait, all sessions together.</summary>
    public IReadOnlyDictionary<string, double>? WaitSeconds { get; init; }

    /// <summary>Figures of the service's own metrics, by their names there; null where they were not asked for this time.</summary>
    public IReadOnlyDictionary<string, double>? Metrics { get; init; }
}

/// <summary>Several sources as one: of each figure the first that is known.</summary>
public sealed class CombinedTimeline(IReadOnlyList<ITimelineSource> sources) : ITimelineSource
{
    public async ValueTask<TimelineReading> ReadAsync(CancellationToken cancellationToken)
    {
        var all = new TimelineReading();
        foreach (var source in sources)
        {
            var one = await source.ReadAsync(cancellationToken).ConfigureAwait(false);
            all = new TimelineReading
            {
                GeneratorCpuSeconds = all.GeneratorCpuSeconds ?? one.GeneratorCpuSeconds,
                ServiceCpuSeconds = all.ServiceCpuSeconds ?? one.ServiceCpuSeconds,
                DatabaseCpuSeconds = all.DatabaseCpuSeconds ?? one.DatabaseCpuSeconds,
                MachineCpuSeconds = all.MachineCpuSeconds ?? one.MachineCpuSeconds,
                StolenCpuSeconds = all.StolenCpuSeconds ?? one.StolenCpuSeconds,
                RunDelaySeconds = all.RunDelaySeconds ?? one.RunDelaySeconds,
                Backlog = all.Backlog ?? one.Backlog,
                WaitSeconds = all.WaitSeconds ?? one.WaitSeconds,
                Metrics = all.Metrics ?? one.Metrics,
            };
        }

        return all;
    }
}

/// <summary>
/// Reads the processor time of the generator's own process, of the machine and of processes that are named. Linux only; elsewhere all of it
/// is null.
/// </summary>
/// <param name="services">The service's processes, where it has any of its own.</param>
/// <param name="database">The backend's process; those it started count with it.</param>
public sealed class ProcessTimeline(IReadOnlyList<int>? services = null, int? database = null) : ITimelineSource
{
    private readonly ProcessFiles _files = ProcessFiles.OfMachine;
    private readonly Dictionary<int, (double Cpu, double Delay)> _seen = [];

    /// <summary>
    /// The service's processes of now, where they come and go: one that is gone keeps what was last read of it, so that no sum falls.
    /// Default: those given.
    /// </summary>
    public Func<IReadOnlyList<int>> Services { get; init; } = () => services ?? [];

    public ValueTask<TimelineReading> ReadAsync(CancellationToken cancellationToken) =>
        ValueTask.FromResult(_files.Exists ? Read() : new TimelineReading());

    private TimelineReading Read()
    {
        var (machine, stolen) = _files.MachineAndStolenCpuSeconds();
        foreach (var id in Services())
        {
            if (_files.CpuSeconds(id, withChildren: false) is { } seconds)
            {
                _seen[id] = (seconds, _files.RunDelaySeconds(id, withChildren: false));
            }
        }

        return new TimelineReading
        {
            GeneratorCpuSeconds = _files.CpuSeconds(Environment.ProcessId, withChildren: false),
            ServiceCpuSeconds = _seen.Count > 0 ? _seen.Values.Sum(process => process.Cpu) : null,
            DatabaseCpuSeconds = database is { } server ? _files.CpuSeconds(server, withChildren: true) : null,
            MachineCpuSeconds = machine,
            StolenCpuSeconds = stolen,
            RunDelaySeconds = _files.RunDelaySeconds(Environment.ProcessId, withChildren: false)
                + _seen.Values.Sum(process => process.Delay)
                + (database is { } backend ? _files.RunDelaySeconds(backend, withChildren: true) : 0),
        };
    }
}
