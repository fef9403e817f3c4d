using static LoadTesting.Core.Load.Invariant;

namespace LoadTesting.Core.Analysis.Findings;

/// <summary>
/// Looks at every resource by itself: how long an operation is in it, how busy it is, what it would allow (USE method: utilisation,
/// saturation, errors; utilisation law: limit = throughput / utilisation).
/// </summary>
/// <param name="inputs">What was measured.</param>
/// <param name="response">Mean response time, seconds; over 0.</param>
internal sealed class ResourceSweep(FindingInputs inputs, double response)
{
    // A busy share below this is a handful of samples, and a limit from it a guess.
    private const double LeastBusyShare = 0.05;

    private readonly double _throughput = inputs.Completed / inputs.DurationSeconds;

    public IReadOnlyList<Examination> Examine()
    {
        IReadOnlyList<Examination> waits = Waits();
        IReadOnlyList<Examination> processors =
        [
            Processors(ResourceNames.ServiceCpu, inputs.Service), Processors(ResourceNames.DatabaseCpu, inputs.Database),
        ];

        // Waits are an operation's own; a process also runs what no operation waits for. Together they cannot last longer than the
        // operation.
        var left = Math.Max(0, response - waits.Sum(e => e.Seconds));
        var fits = Math.Min(1, left / Math.Max(double.Epsilon, processors.Sum(e => e.Seconds)));
        return [.. processors.Select(e => e with { Seconds = e.Seconds * fits }), .. waits];
    }

    private IReadOnlyList<Examination> Waits() =>
    [
        Waiting(ResourceNames.WalFlush, inputs.WalSyncSeconds),
        Waiting(ResourceNames.Locks),
        Waiting(ResourceNames.Disk),
        Waiting(ResourceNames.OtherWaits),
        Pool(),
        Queue(),
        Collection(),
        Generator(),
    ];

    private Examination Processors(string resource, ProcessUsage? usage)
    {
        if (usage is null)
        {
            return Missing(resource, "processor time was not measured");
        }

        if (inputs.DurationSeconds < FindingLimits.MinimumProcessorSeconds)
        {
            return new(resource, Text(
                $"The measured part lasted {inputs.DurationSeconds:0.00} s; processor time is meaningful from "
                + $"{FindingLimits.MinimumProcessorSeconds:0.0} s on."));
        }

        // What others took is read from the whole machine, so neighbours cannot pass for the resource.
        var ours = (inputs.Service?.CpuSeconds ?? 0) + (inputs.Database?.CpuSeconds ?? 0) + inputs.GeneratorCpuSeconds;
        var others = (inputs.MachineCpuSeconds ?? 0) - ours;
        var ready = usage.ReadySeconds / inputs.DurationSeconds;
        var evidence = new List<string>
        {
            Text($"{ready:0.00} of its threads ran or were ready to on average, on {inputs.Cores} processors: an operation takes ")
                + $"{Ms(usage.CpuSeconds / inputs.Completed)} ms of processor time and "
                + $"{Ms((usage.RunDelaySeconds ?? 0) / inputs.Completed)} ms of waiting for it.",
        };
        if (usage.RunDelaySeconds is null)
        {
            evidence.Add("The kernel does not report how long threads waited for a processor.");
        }

        var isDisturbed = others > usage.CpuSeconds && others > inputs.DurationSeconds * inputs.Cores / 4;
        if (isDisturbed)
        {
            evidence.Add(Text(
                $"Other processes used {others / inputs.DurationSeconds:0.00} processors meanwhile; on a quiet machine this weighs less."));
        }

        // Below one operation in flight a process also runs while there is none: that part delays nobody.
        var inFlight = _throughput * response;
        return new(resource)
        {
            Seconds = Math.Min(response, usage.ReadySeconds / inputs.Completed * Math.Min(1, inFlight)),
            Utilisation = Math.Min(1, ready / inputs.Cores),
            LimitPerSecond = usage.CpuSeconds > 0 ? inputs.Cores * inputs.Completed / usage.CpuSeconds : null,
            HasUnseenQueue = true, // The runtime's own queue of work comes before the kernel's, and a session's before its processor.
            Evidence = evidence,
            IsDisturbed = isDisturbed,
        };
    }

    /// <summary>Impact of a wait = sessions in it on average x time / completed operations.</summary>
    private Examination Waiting(string resource, double? busySeconds = null)
    {
        if (inputs.Waits is null)
        {
            return Missing(resource, "sessions of the backend were not sampled");
        }

        if (inputs.WaitSamples < FindingLimits.MinimumWaitSamples)
        {
            return new(
                resource,
                Text($"Sessions were sampled {inputs.WaitSamples} times; {FindingLimits.MinimumWaitSamples} samples are needed."));
        }

        var waits = inputs.Waits.Where(wait => wait.Resource == resource).OrderByDescending(wait => wait.AverageSessions).ToList();
        var sessions = waits.Sum(wait => wait.AverageSessions);
        var seenBusy = waits.Select(wait => wait.ShareOfMoments).DefaultIfEmpty().Max();
        var busy = Math.Max(seenBusy, Math.Min(1, (busySeconds ?? 0) / inputs.DurationSeconds));
        var names = waits.Count == 0
            ? ""
            : $": {string.Join(", ", waits.Take(3).Select(wait => Text($"{wait.Name} {wait.AverageSessions:0.00}")))}";
        var evidence =
            new List<string> { Text($"{sessions:0.00} sessions waited for it on average of {inputs.WaitSamples} samples{names}.") };
        if (busySeconds is { } known)
        {
            evidence.Add(Text($"The server counts {known:0.00} s of it in {inputs.DurationSeconds:0.00} s."));
        }

        return new(resource)
        {
            Seconds = Math.Min(response, sessions / _throughput),
            Utilisation = busy,
            LimitPerSecond = resource == ResourceNames.WalFlush && busy >= LeastBusyShare ? _throughput / busy : null,
            HasUnseenQueue = true, // Of a batch, one session waits and many operations with it.
            Evidence = evidence,
        };
    }

    private Examination Pool()
    {
        if (inputs.Pool is not { } pool)
        {
            return Missing(ResourceNames.ConnectionPool, "no pool was watched");
        }

        var used = Math.Min(1, pool.AverageUsed / pool.MaxConnections);
        var evidence = new List<string>
        {
            Text($"{pool.AverageUsed:0.0} of {pool.MaxConnections} connections were in use and {pool.AverageWaiting:0.0} requests waited "
                + $"for one, on average."),
        };
        if (pool.Timeouts > 0)
        {
            evidence.Add(Text($"{pool.Timeouts} requests waited in vain."));
        }

        return new(ResourceNames.ConnectionPool)
        {
            Seconds = Math.Min(response, pool.AverageWaiting / _throughput),
            Utilisation = used,
            LimitPerSecond = used >= LeastBusyShare ? _throughput / used : null,
            IsGuiltyAnyway = pool.Timeouts > 0,
            Evidence = evidence,
        };
    }

    /// <summary>Its share is only known once queueing was charged to what causes it.</summary>
    private Examination Queue() => inputs.QueueWaitSeconds is { } wait
        ? new(ResourceNames.ServiceQueue) { Evidence = [Text($"Work waited {Ms(wait)} ms inside the service for its workers.")] }
        : Missing(ResourceNames.ServiceQueue, "the service does not report how long work waits in it");

    private Examination Collection() => inputs.GcPauseShare is { } share
        ? new(ResourceNames.GarbageCollection)
        {
            Seconds = share * response,
            Utilisation = share,
            Evidence = [$"Collection had stopped the process for {Figures.Percent(share)} of the time."],
        }
        : Missing(ResourceNames.GarbageCollection, "pauses of the service were not measured");

    private Examination Generator()
    {
        if (inputs.GeneratorEvidence is not { } against)
        {
            return Missing(ResourceNames.Generator, "it was not watched");
        }

        var lag = inputs.ScheduleLagSeconds ?? 0;
        return new(ResourceNames.Generator)
        {
            Seconds = lag < FindingLimits.LagFloorSeconds ? 0 : Math.Min(response, lag),
            IsGuiltyAnyway = against.Count > 0,
            Evidence =
            [
                inputs.ScheduleLagSeconds is null
                    ? "A closed model has no schedule to be late on."
                    : $"Operations started {Ms(lag)} ms late on average.",
                .. against.Select(Sentence),
            ],
        };
    }

    private Examination Missing(string resource, string otherwise) =>
        new(resource, inputs.NotMeasured.GetValueOrDefault(resource) ?? Sentence(otherwise));

    private static string Sentence(string text) => $"{char.ToUpperInvariant(text[0])}{text[1..].TrimEnd('.')}.";

    private static string Ms(double seconds) => Figures.Ms(1000 * seconds);
}

/// <summary>What is known of one resource before queueing is charged to any.</summary>
/// <param name="Resource">Its name.</param>
/// <param name="Reason">Why it was not examined; null when it was.</param>
internal sealed record Examination(string Resource, string? Reason = null)
{
    /// <summary>What an operation spends in it, seconds; measured at the resource.</summary>
    public double Seconds { get; init; }

    /// <summary>Queueing charged to it, seconds per operation.</summary>
    public double QueueingSeconds { get; init; }

    /// <summary>Busy share, 0 to 1.</summary>
    public double? Utilisation { get; init; }

    /// <summary>Operations per second that it would allow by itself.</summary>
    public double? LimitPerSecond { get; init; }

    /// <summary>
    /// Whether operations may queue for it unseen. Not so where waiting is measured to the last: a pool that is full and for which nobody
    /// waits is the right size.
    /// </summary>
    public bool HasUnseenQueue { get; init; }

    /// <summary>Guilty whatever its share, such as a generator that failed its health check.</summary>
    public bool IsGuiltyAnyway { get; init; }

    /// <summary>Whether others used most of what it was measured on.</summary>
    public bool IsDisturbed { get; init; }

    /// <summary>A sentence each.</summary>
    public IReadOnlyList<string> Evidence { get; init; } = [];

    /// <summary>What an operation loses to it, seconds.</summary>
    public double Impact => Seconds + QueueingSeconds;
}
