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

    /// <summary>Work that waits in the service.</summary>
    public double? Backlog { get; init; }
}

/// <summary>
/// Reads the processor time of the generator's own process, of the machine and of processes that are named, and a backlog where somebody
/// knows one. Linux only; elsewhere processor times are null.
/// </summary>
/// <param name="service">The service's process, where it has one of its own.</param>
/// <param name="database">The backend's processes; those they started count with them.</param>
/// <param name="backlog">Reads the work that waits in the service; null where nothing can.</param>
public sealed class ProcessTimeline(
    int? service = null, IReadOnlyList<int>? database = null, Func<CancellationToken, ValueTask<double?>>? backlog = null)
    : ITimelineSource
{
    private readonly ProcessFiles _files = new("/");

    public async ValueTask<TimelineReading> ReadAsync(CancellationToken cancellationToken)
    {
        var waiting = backlog is null ? null : await backlog(cancellationToken).ConfigureAwait(false);
        if (!_files.Exists)
        {
            return new TimelineReading { Backlog = waiting };
        }

        var (machine, stolen) = _files.MachineAndStolenCpuSeconds();
        return new TimelineReading
        {
            GeneratorCpuSeconds = _files.CpuSeconds(Environment.ProcessId, withChildren: false),
            ServiceCpuSeconds = service is { } id ? _files.CpuSeconds(id, withChildren: false) : null,
            DatabaseCpuSeconds = database is { Count: > 0 } ? database.Sum(id => _files.CpuSeconds(id, withChildren: true)) : null,
            MachineCpuSeconds = machine,
            StolenCpuSeconds = stolen,
            Backlog = waiting,
        };
    }
}
