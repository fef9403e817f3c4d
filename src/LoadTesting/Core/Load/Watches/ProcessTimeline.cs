namespace LoadTesting.Core.Load.Watches;

/// <summary>
/// Reads the processor time of the generator's own process, of the machine and of given processes. Linux only;
/// elsewhere all figures are null.
/// </summary>
/// <param name="services">The service's own processes; null if it has none.</param>
/// <param name="database">The backend's process, which includes its child processes; null if there is none.</param>
public sealed class ProcessTimeline(IReadOnlyList<int>? services = null, int? database = null) : ITimelineSource
{
    private readonly ProcessFiles _files = ProcessFiles.OfMachine;
    private readonly Dictionary<int, (double Cpu, double Delay)> _seen = [];

    /// <summary>
    /// The service's current processes, if they change. The last reading of an ended process is kept, so that sums do
    /// not decrease. Default: the given processes.
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
