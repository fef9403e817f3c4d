namespace LoadTesting.Core.Load.Watches;

/// <summary>
/// Samples the resources of processes five times a second, because peaks of memory and waits of ended threads are not
/// recorded by the kernel. Linux only; elsewhere the report is empty with a reason.
/// </summary>
public sealed class ProcessUsageWatch : IAsyncDisposable
{
    // Longer watches keep every second moment, then every fourth.
    private const int MostMoments = 4_000;

    private static readonly TimeSpan DefaultInterval = TimeSpan.FromMilliseconds(200);

    private readonly TimeSpan _interval;
    private readonly ProcessFiles _files;
    private readonly IReadOnlyList<Watched> _watched;
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly Func<SystemSums>? _sums;
    private readonly List<UsageMoment> _moments = [];
    private readonly CancellationTokenSource _stop = new();
    private readonly Thread _watching; // Dedicated: a starved thread pool must not delay it.

    private ProcessUsageWatch(
        ProcessFiles files, IReadOnlyList<WatchedProcess> processes, TimeSpan interval, Func<SystemSums>? sums)
    {
        _sums = sums;
        _interval = interval;
        _files = files;
        _watched = [.. processes.Select(process =>
            new Watched(process, files.Exists ? files.Read(process.ProcessId, process.WithChildren) : null))];
        AddMoment();
        _watching = new Thread(Watch) { IsBackground = true, Name = "load-usage" };
        _watching.Start();
    }

    /// <param name="processes">The processes to watch.</param>
    /// <param name="sums">Read with each sample; null for none.</param>
    public static ProcessUsageWatch Start(IReadOnlyList<WatchedProcess> processes, Func<SystemSums>? sums = null) =>
        Start(ProcessFiles.OfMachine, processes, DefaultInterval, sums);

    /// <returns>The resources used since the start.</returns>
    public async Task<ProcessUsageReport> StopAsync()
    {
        await DisposeAsync().ConfigureAwait(false);
        if (!_files.Exists)
        {
            return new(new Dictionary<string, ProcessUsage>(), null, Stopwatch.GetElapsedTime(_start),
                ["Use of processes is null: there is no /proc here to read it from."], _moments);
        }

        Sample();
        var used = _watched.Where(process => process.Usage is not null)
            .ToDictionary(process => process.Of.Name, process => process.Usage!);
        return new(
            used,
            _moments[^1].MachineCpuSeconds - _moments[0].MachineCpuSeconds,
            Stopwatch.GetElapsedTime(_start),
            [
                .. _watched.Where(process => process.Usage is null)
                    .Select(p => $"Use of the {p.Of.Name} is null: process {p.Of.ProcessId} ended, or cannot be seen."),
                .. _watched.Where(process => process.Usage is not null && !process.IsFine)
                    .Select(p => $"Processor time of the {p.Of.Name} is known to a hundredth of a second: its clock cannot be read."),
            ],
            _moments);
    }

    /// <summary>Stops watching. May be called repeatedly.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        _watching.Join();
    }

    internal static ProcessUsageWatch Start(
        ProcessFiles files, IReadOnlyList<WatchedProcess> processes, TimeSpan interval, Func<SystemSums>? sums = null)
    {
        return new ProcessUsageWatch(files, processes, interval, sums);
    }

    private void Watch()
    {
        while (!_stop.Token.WaitHandle.WaitOne(_interval))
        {
            if (_files.Exists)
            {
                Sample();
            }
        }
    }

    private void Sample()
    {
        foreach (var process in _watched)
        {
            process.Add(_files.Read(process.Of.ProcessId, process.Of.WithChildren));
        }

        AddMoment();
    }

    private void AddMoment()
    {
        _moments.Add(new UsageMoment(
            Stopwatch.GetTimestamp(),
            _watched.Where(process => process.Usage is not null)
                .ToDictionary(process => process.Of.Name, process => process.Usage!),
            _files.Exists ? _files.MachineCpuSeconds() : null, _sums?.Invoke() ?? new SystemSums()));
        if (_moments.Count > MostMoments)
        {
            var index = 0;
            _moments.RemoveAll(_ => index++ % 2 != 0); // Keeps the first: the others are sums since then.
        }
    }

    private sealed class Watched(WatchedProcess of, ProcessReading? first)
    {
        private readonly Dictionary<(int, string), long> _delays = first is null ? [] : new(first.DelayNanoseconds);
        private readonly Dictionary<(int, string), long> _backgrounds = first is null
            ? []
            : new(first.BackgroundNanoseconds);
        private bool _isGone = first is null;
        private double _cpuSeconds;
        private long _delay;
        private long _background;
        private long _peakBytes;

        public WatchedProcess Of => of;

        /// <summary>Whether every reading of its processor time is finer than a hundredth of a second.</summary>
        public bool IsFine { get; private set; } = first?.IsFine == true;

        public ProcessUsage? Usage =>
            _isGone ? null : new(_cpuSeconds, _delays.Count == 0 ? null : _delay / 1e9, _peakBytes)
        {
            BackgroundCpuSeconds = Math.Min(_cpuSeconds, _background / 1e9),
        };

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
            _delay += Growth(_delays, reading.DelayNanoseconds);
            _background += Growth(_backgrounds, reading.BackgroundNanoseconds);
        }

        private static long Growth(
            Dictionary<(int, string), long> known, Dictionary<(int Process, string Task), long> now)
        {
            var growth = 0L;
            foreach (var (thread, value) in now)
            {
                // A reused thread id begins at zero.
                var before = known.GetValueOrDefault(thread);
                growth += value >= before ? value - before : value;
                known[thread] = value;
            }

            return growth;
        }
    }
}

/// <summary>The report of a <see cref="ProcessUsageWatch"/>.</summary>
/// <param name="Processes">Use by process name, without ended and inaccessible processes.</param>
/// <param name="MachineCpuSeconds">Processor seconds of the whole machine, including stolen ones; null if
/// unknown.</param>
/// <param name="Duration">Duration of the watch.</param>
/// <param name="Notes">Reasons for missing figures.</param>
/// <param name="Moments">The samples, the first at the start; a long watch keeps only some.</param>
public sealed record ProcessUsageReport(
    IReadOnlyDictionary<string, ProcessUsage> Processes, double? MachineCpuSeconds, TimeSpan Duration,
    IReadOnlyList<string> Notes,
    IReadOnlyList<UsageMoment> Moments);
