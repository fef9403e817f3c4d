namespace LoadTesting.Core.Load.Watches;

/// <summary>
/// Watches what processes use, five times a second: memory has a peak only for who looks, and a thread takes what it waited with it when it
/// ends. Linux only; elsewhere the answer is empty, with the reason.
/// </summary>
public sealed class ProcessUsageWatch : IAsyncDisposable
{
    private static readonly TimeSpan DefaultInterval = TimeSpan.FromMilliseconds(200);

    private readonly TimeSpan _interval;
    private readonly ProcessFiles _files;
    private readonly IReadOnlyList<Watched> _watched;
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly double? _machine;
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _watching;

    private ProcessUsageWatch(ProcessFiles files, IReadOnlyList<WatchedProcess> processes, TimeSpan interval)
    {
        _interval = interval;
        _files = files;
        _machine = files.Exists ? files.MachineCpuSeconds() : null;
        _watched = [.. processes.Select(process =>
            new Watched(process, files.Exists ? files.Read(process.ProcessId, process.WithChildren) : null))];
        _watching = files.Exists ? Task.Run(WatchAsync, CancellationToken.None) : Task.CompletedTask;
    }

    public static ProcessUsageWatch Start(params IReadOnlyList<WatchedProcess> processes) =>
        Start(ProcessFiles.OfMachine, processes, DefaultInterval);

    /// <returns>What the processes used since the start.</returns>
    public async Task<ProcessUsageReport> StopAsync()
    {
        await DisposeAsync().ConfigureAwait(false);
        if (_machine is not { } before)
        {
            return new(new Dictionary<string, ProcessUsage>(), null, Stopwatch.GetElapsedTime(_start),
                ["Use of processes is null: there is no /proc here to read it from."]);
        }

        Look();
        var used = _watched.Where(process => process.Usage is not null).ToDictionary(process => process.Of.Name, process => process.Usage!);
        return new(
            used,
            _files.MachineCpuSeconds() - before,
            Stopwatch.GetElapsedTime(_start),
            [
                .. _watched.Where(process => process.Usage is null)
                    .Select(p => $"Use of the {p.Of.Name} is null: process {p.Of.ProcessId} ended, or cannot be seen."),
                .. _watched.Where(process => process.Usage is not null && !process.IsFine)
                    .Select(p => $"Processor time of the {p.Of.Name} is known to a hundredth of a second: its clock cannot be read."),
            ]);
    }

    /// <summary>Ends watching. May be called again.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _watching.ConfigureAwait(false);
    }

    internal static ProcessUsageWatch Start(ProcessFiles files, IReadOnlyList<WatchedProcess> processes, TimeSpan interval)
    {
        ArgumentNullException.ThrowIfNull(processes);
        return new ProcessUsageWatch(files, processes, interval);
    }

    private async Task WatchAsync()
    {
        using var timer = new PeriodicTimer(_interval);
        try
        {
            while (await timer.WaitForNextTickAsync(_stop.Token).ConfigureAwait(false))
            {
                Look();
            }
        }
        catch (OperationCanceledException)
        {
            // Ends here when it is stopped.
        }
    }

    private void Look()
    {
        foreach (var process in _watched)
        {
            process.Add(_files.Read(process.Of.ProcessId, process.Of.WithChildren));
        }
    }

    private sealed class Watched(WatchedProcess of, ProcessReading? first)
    {
        private readonly Dictionary<(int, string), long> _delays = first is null ? [] : new(first.DelayNanoseconds);
        private bool _isGone = first is null;
        private double _cpuSeconds;
        private long _delay;
        private long _peakBytes;

        public WatchedProcess Of => of;

        /// <summary>Whether every reading of its processor time is finer than a hundredth of a second.</summary>
        public bool IsFine { get; private set; } = first?.IsFine == true;

        public ProcessUsage? Usage => _isGone ? null : new(_cpuSeconds, _delays.Count == 0 ? null : _delay / 1e9, _peakBytes);

        public void Add(ProcessReading? reading)
        {
            _isGone |= reading is null;
            if (_isGone)
            {
                return;
            }

            _cpuSeconds = reading!.CpuSeconds - first!.CpuSeconds;
            IsFine &= reading.IsFine;
            _peakBytes = Math.Max(_peakBytes, reading.PrivateBytes + reading.SharedBytes);
            foreach (var (thread, delay) in reading.DelayNanoseconds)
            {
                // A number that is used again begins at zero.
                var before = _delays.GetValueOrDefault(thread);
                _delay += delay >= before ? delay - before : delay;
                _delays[thread] = delay;
            }
        }
    }
}

/// <summary>What a process, or several together, used while they were watched.</summary>
/// <param name="CpuSeconds">Processor time, seconds. What processes used that it started, and that ended, is known to a hundredth.</param>
/// <param name="RunDelaySeconds">Time in which threads were ready to run and waited for a processor, seconds; null where the kernel does
/// not report it.</param>
/// <param name="PeakMemoryBytes">Most memory seen, bytes; what processes share is counted once.</param>
public sealed record ProcessUsage(double CpuSeconds, double? RunDelaySeconds, long PeakMemoryBytes)
{
    /// <summary>
    /// Time in which threads ran or were ready to, seconds: what the processors were asked for, however much others left of them.
    /// </summary>
    public double ReadySeconds => CpuSeconds + (RunDelaySeconds ?? 0);
}

/// <param name="Processes">By name; a process that ended, or that cannot be seen, is not among them.</param>
/// <param name="MachineCpuSeconds">Processor seconds that the whole machine used, with those the hypervisor gave to others; null where not
/// known.</param>
/// <param name="Duration">How long they were watched.</param>
/// <param name="Notes">Why something is missing.</param>
public sealed record ProcessUsageReport(
    IReadOnlyDictionary<string, ProcessUsage> Processes, double? MachineCpuSeconds, TimeSpan Duration, IReadOnlyList<string> Notes);

/// <param name="Name">What it is called in the answer.</param>
/// <param name="ProcessId">Its number.</param>
/// <param name="WithChildren">Whether the processes it started count with it, as a database server's sessions do.</param>
public sealed record WatchedProcess(string Name, int ProcessId, bool WithChildren = false);
