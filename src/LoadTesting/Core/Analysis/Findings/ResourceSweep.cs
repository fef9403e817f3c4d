using static LoadTesting.Core.Load.Invariant;

namespace LoadTesting.Core.Analysis.Findings;

/// <summary>
/// Examines every resource: how long an operation spends in it, how busy it is, which rate it would allow, and the
/// evidence against it. USE method (utilisation, saturation, errors); utilisation law (limit = throughput /
/// utilisation).
/// </summary>
/// <param name="inputs">What was measured.</param>
/// <param name="span">The part of it to look at, without stalls.</param>
/// <param name="response">Mean response time without stalls, seconds; over 0.</param>
/// <param name="completed">Operations that completed in the span; over 0.</param>
/// <param name="minimumLooks">Samples of sessions that a finding needs.</param>
internal sealed class ResourceSweep(
    FindingInputs inputs, FindingSpan span, double response, double completed, int minimumLooks)
{
    // Below this busy share there are too few samples for a limit.
    private const double MinBusyShare = 0.05;

    // Processor time may exceed the response time by the error of the clocks.
    private const double MaxProcessorTimeFactor = 1.2;

    private const string WakeUp = "Threads need this time to wake up, and messages to travel.";

    private readonly double _throughput = completed / span.Seconds;
    private readonly double _service = (span.Service?.CpuSeconds ?? 0) / span.Seconds;
    private readonly double _database = (span.Database?.CpuSeconds ?? 0) / span.Seconds;
    private readonly double _generator = span.GeneratorCpuSeconds / span.Seconds;

    private double Own => _service + _database + _generator;

    /// <summary>Processors that others used on average; null where the machine was not watched.</summary>
    private double? Others =>
        span.MachineCpuSeconds is { } machine ? Math.Max(0, (machine / span.Seconds) - Own) : null;

    private bool ProcessorsAreFull => Own / inputs.Cores >= FindingLimits.FullUtilisation;

    private double Compiling => (OnPathCompilation ?? 0) / span.Seconds;

    /// <summary>The usage of the largest of the run's processes.</summary>
    private double LargestUse => Math.Max(Math.Max(_service - Compiling, Compiling), Math.Max(_database, _generator));

    /// <summary>Processor time that threads of operations waited for, per second.</summary>
    private double Delay =>
        ((span.Service?.RunDelaySeconds ?? 0) + (span.Database?.RunDelaySeconds ?? 0)) / span.Seconds;

    /// <summary>Every resource but stalls and what is left over, in no particular order.</summary>
    public IReadOnlyList<ResourceExamination> Examine()
    {
        var waits = Fit(
            [
                Waiting(ResourceNames.WalFlush), Waiting(ResourceNames.Locks), Waiting(ResourceNames.Disk),
                Waiting(ResourceNames.OtherWaits), Pool(), Collection(), Generator(), .. Events(),
            ],
            response);

        // Waits are an operation's own; a process also runs what no operation waits for. Together they cannot last
        // longer than the operation.
        var left = Math.Max(0, response - waits.Sum(e => e.Seconds));
        return
        [
            .. Fit(
                [
                    Processors(
                        ResourceNames.ServiceCpu, span.Service, _service - Compiling, OnPathCompilation ?? 0, left),
                    Processors(ResourceNames.DatabaseCpu, span.Database, _database, 0, left),
                    OtherProcesses(), Compilation(),
                ],
                left),
            .. waits, Queue(),
        ];
    }

    private static IReadOnlyList<ResourceExamination> Fit(IReadOnlyList<ResourceExamination> measured, double room)
    {
        var fits = Math.Min(1, room / Math.Max(double.Epsilon, measured.Sum(e => e.Seconds)));
        return [.. measured.Select(e => e with { Seconds = e.Seconds * fits })];
    }

    /// <param name="used">Processors that the process used on average.</param>
    /// <param name="elsewhere">The part of its time that is charged to another resource, seconds.</param>
    /// <param name="left">The part of the response time that no wait takes, seconds.</param>
    private ResourceExamination Processors(
        string resource, ProcessUsage? usage, double used, double elsewhere, double left)
    {
        if (usage is null)
        {
            return Missing(resource, "processor time was not measured");
        }

        if (span.Seconds < FindingLimits.MinimumProcessorSeconds)
        {
            return new(resource, Text(
                $"The measured part lasted {span.Seconds:0.00} s; processor time is meaningful from "
                + $"{FindingLimits.MinimumProcessorSeconds:0.0} s on."));
        }

        // With less than one operation in flight a process also runs while there is none: that part delays no
        // operation.
        var inFlight = Math.Min(1, _throughput * response);
        var own = Math.Max(0, usage.OperationCpuSeconds - elsewhere) / completed;
        var seconds = (own * inFlight) + (OwnDelay * (Own > 0 ? used / Own : 0) / _throughput);
        List<string> evidence =
        [
            Text($"It used {used:0.00} of {inputs.Cores} processors on average: an operation takes {Ms(own)} ms of processor time")
                + (usage.BackgroundCpuSeconds > 0.05 * usage.CpuSeconds
                    ? $", and {Ms(usage.BackgroundCpuSeconds / completed)} ms more go to work that no operation waits for."
                    : "."),
        ];
        if (usage.RunDelaySeconds is { } delay)
        {
            evidence.Add($"Its threads were ready and waited for a processor for {Ms(delay / completed)} ms an operation.");
        }
        else
        {
            evidence.Add("The kernel does not report how long threads waited for a processor.");
        }

        return new(resource)
        {
            Seconds = seconds,
            Utilisation = Math.Min(1, used / inputs.Cores),
            LimitPerSecond = usage.CpuSeconds > 0 ? inputs.Cores * completed / usage.CpuSeconds : null,
            IsFull = ProcessorsAreFull && used >= LargestUse,
            CounterEvidence = ProcessorsAreFull ? null
                : used / inputs.Cores < FindingLimits.MinProcessorShare
                    ? Text($"Only {100 * used / inputs.Cores:0} % of the processors were in use by it, so operations do not queue there.")
                : own > MaxProcessorTimeFactor * left
                    ? $"It used more processor time ({Ms(own)} ms) than operations had ({Ms(left)} ms), so a part of it served none of them."
                : seconds < FindingLimits.HighShare * response
                    ? "The processors are not full, and it uses them for less than half of the response time."
                : null,
            Cap = ProcessorsAreFull ? FindingConfidence.High : FindingConfidence.Medium,
            Evidence = evidence,
        };
    }

    /// <summary>
    /// The part of the waiting for processors that the run's own processes cause, seconds per second.
    /// </summary>
    private double OwnDelay => Delay - OthersDelay;

    private double OthersDelay => Others is { } others && others + Own > 0 ? Delay * others / (others + Own) : 0;

    private ResourceExamination OtherProcesses()
    {
        if (Others is not { } others || (span.Service?.RunDelaySeconds ?? span.Database?.RunDelaySeconds) is null)
        {
            return Missing(ResourceNames.OtherProcesses,
                "how long threads waited for a processor, and who used it, was not measured");
        }

        var share = others / inputs.Cores;
        return new(ResourceNames.OtherProcesses)
        {
            Seconds = OthersDelay / _throughput,
            Utilisation = Math.Min(1, share),
            CounterEvidence = share < FindingLimits.OthersForLow
                ? Text($"They used {100 * share:0} % of the machine; from {100 * FindingLimits.OthersForLow:0} % on they may be the cause.")
                : null,
            Evidence =
            [
                Text($"Processes of others used {others:0.00} of {inputs.Cores} processors, and threads of the run were ready and waited for "
                    + $"one for {Ms(Delay / _throughput)} ms an operation."),
            ],
        };
    }

    /// <summary>
    /// What the compiler spent on threads of operations, seconds: without the thread that optimises later.
    /// </summary>
    private double? OnPathCompilation => span.Sums.CompilationSeconds is { } all && span.Service is { } service
        ? Math.Clamp(all - service.BackgroundCpuSeconds, 0, service.OperationCpuSeconds)
        : null;

    private ResourceExamination Compilation() => OnPathCompilation is { } seconds
        ? new(ResourceNames.Compilation)
        {
            Seconds = (seconds / completed) + (OwnDelay * (Own > 0 ? Compiling / Own : 0) / _throughput),
            Utilisation = Math.Min(1, Compiling / inputs.Cores),
            IsFull = ProcessorsAreFull && Compiling >= LargestUse,
            CounterEvidence = Compiling / inputs.Cores < FindingLimits.MinCompilerShare
                ? Text($"It used {100 * Compiling / inputs.Cores:0} % of the processors, as much as the measurement itself may cause.")
                : null,
            Evidence =
                [$"The compiler worked {Ms(seconds / completed)} ms an operation on the "
                    + "threads that serve operations."],
        }
        : Missing(ResourceNames.Compilation, "compilation was not measured");

    /// <summary>Impact of a wait = sessions in it on average x time / completed operations.</summary>
    private ResourceExamination Waiting(string resource)
    {
        if (span.Looks is not { } looks)
        {
            return Missing(resource, "sessions of the backend were not sampled");
        }

        if (looks < minimumLooks)
        {
            return new(resource, Text($"Sessions were sampled {looks} times; {minimumLooks} samples are needed."));
        }

        var waits = span.Waits.Where(wait => wait.Value.Resource == resource)
            .OrderByDescending(wait => wait.Value.Sessions).ToList();
        var sessions = (double)waits.Sum(wait => wait.Value.Sessions) / looks;
        var busy = (double)waits.Select(wait => wait.Value.Moments).DefaultIfEmpty().Max() / looks;
        var names = waits.Count == 0
            ? ""
            : $": {string.Join(", ", waits.Take(3).Select(wait => Text($"{wait.Key} {(double)wait.Value.Sessions / looks:0.00}")))}";
        var isOneServer = resource == ResourceNames.WalFlush;
        var seconds = sessions / _throughput;
        return new(resource)
        {
            Seconds = seconds,
            Utilisation = busy,
            LimitPerSecond = isOneServer && busy >= MinBusyShare ? _throughput / busy : null,
            IsFull = isOneServer
                && busy >= FindingLimits.FullUtilisation, // Of a batch, one session waits and many operations with it.
            CounterEvidence =
                resource == ResourceNames.OtherWaits && seconds < FindingLimits.WaitFloorSeconds ? WakeUp : null,
            Evidence = [Text($"{sessions:0.00} sessions waited for it on average of {looks} samples{names}.")],
        };
    }

    private ResourceExamination Pool()
    {
        if (inputs.Pool is not { } pool || span.Sums.PoolWaitSeconds is not { } waited)
        {
            return Missing(ResourceNames.ConnectionPool, "no pool was watched");
        }

        var used = Math.Min(1, pool.AverageUsed / pool.MaxConnections);
        List<string> evidence =
        [
            Text($"{pool.AverageUsed:0.0} of {pool.MaxConnections} connections were in use and {waited / span.Seconds:0.0} requests waited "
                + $"for one, on average."),
        ];
        if (pool.Timeouts > 0)
        {
            evidence.Add(Text($"{pool.Timeouts} requests waited until their timeout."));
        }

        return new(ResourceNames.ConnectionPool)
        {
            Seconds = waited / completed,
            Utilisation = used,
            LimitPerSecond = used >= MinBusyShare ? _throughput / used : null,
            CounterEvidence = used < FindingLimits.HighShare && pool.Timeouts == 0
                ? $"It was {Figures.Percent(used)} in use: requests waited while it made connections, not because it had too few."
                : null,
            Evidence = evidence,
        };
    }

    /// <summary>Its share is known only after queueing has been charged to its cause.</summary>
    private ResourceExamination Queue() => inputs.QueueWaitSeconds is { } wait
        ? new(ResourceNames.ServiceQueue)
            { Evidence = [$"Work waited {Ms(wait)} ms inside the service for its workers."] }
        : Missing(ResourceNames.ServiceQueue, "the service does not report how long work waits in it");

    private IReadOnlyList<ResourceExamination> Events()
    {
        if (span.Sums is not { DeliverySeconds: { } delivery, ConsumerSeconds: { } working })
        {
            const string Why = "the events carry no times of the service, so their way to the consumer is not known";
            return [Missing(ResourceNames.EventDelivery, Why), Missing(ResourceNames.EventConsumer, Why)];
        }

        // Of several events of an operation only the last one is waited for.
        var seconds = span.Sums.Deliveries == 0 ? 0 : delivery / span.Sums.Deliveries;
        var busy = Math.Min(1, working / span.Seconds / span.Sums.Consumers);
        var isConsumer = busy >= FindingLimits.FullUtilisation;
        var processors = ProcessorsAreFull ? "The processors are full, so threads reach the event late." : null;
        return
        [
            new(ResourceNames.EventDelivery)
            {
                Seconds = isConsumer || ProcessorsAreFull ? 0 : seconds,
                CounterEvidence = isConsumer ? "The consumer was busy all the time, so events waited for it."
                    : seconds < FindingLimits.WaitFloorSeconds ? WakeUp
                    : processors,
                Evidence = [$"Events took {Ms(seconds)} ms from their commit to the first line of the consumer."],
            },
            new(ResourceNames.EventConsumer)
            {
                Seconds = isConsumer ? seconds : 0,
                Utilisation = busy,
                LimitPerSecond = busy >= MinBusyShare ? _throughput / busy : null,
                Evidence = [$"It worked on events for {Figures.Percent(busy)} of the time."],
            },
        ];
    }

    private ResourceExamination Collection() => span.Sums.GcPauseSeconds is { } paused
        ? new(ResourceNames.GarbageCollection)
        {
            Seconds = Math.Min(1, paused / span.Seconds) * response,
            Utilisation = Math.Min(1, paused / span.Seconds),
            Evidence =
                [$"Collection had stopped the process for {Figures.Percent(paused / span.Seconds)} of the time."],
        }
        : Missing(ResourceNames.GarbageCollection, "pauses of the service were not measured");

    private ResourceExamination Generator()
    {
        if (inputs.GeneratorEvidence is not { } against)
        {
            return Missing(ResourceNames.Generator, "it was not watched");
        }

        var lag = inputs.ScheduleLagSeconds ?? 0;
        return new(ResourceNames.Generator)
        {
            Seconds = lag < FindingLimits.LagFloorSeconds ? 0 : lag,
            IsFull = ProcessorsAreFull && _generator > Math.Max(_service, _database),
            Evidence =
            [
                inputs.ScheduleLagSeconds is null
                    ? "A closed model has no schedule to be late on."
                    : $"Operations started {Ms(lag)} ms late on average.",
                .. _generator > 0
                    ? [Text($"It used {_generator:0.00} of {inputs.Cores} processors.")] : Array.Empty<string>(),
                .. against.Select(Sentence),
            ],
        };
    }

    private ResourceExamination Missing(string resource, string otherwise) =>
        inputs.Absent.TryGetValue(resource, out var absent)
        ? new(resource, absent) { IsAbsent = true }
        : new(resource, inputs.NotMeasured.GetValueOrDefault(resource) ?? Sentence(otherwise));

    private static string Sentence(string text) => $"{char.ToUpperInvariant(text[0])}{text[1..].TrimEnd('.')}.";

    private static string Ms(double seconds) => Figures.Ms(1000 * seconds);
}
