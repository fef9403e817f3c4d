namespace LoadTesting.Core.Analysis.Findings;

/// <summary>
/// Divides the mean response time R among resources and ranks them, as database monitors do that charge time instead of counting events
/// (Oracle's ADDM; the USE method for what to look at). Each resource is charged with what an operation was measured to spend in it. What
/// is left of R is queueing: it is charged to the resource that is full and holds operations longest, since that is what they queue for;
/// where none is full, to the service's own queue as far as the service measured one; the rest is unexplained.
/// </summary>
public static class FindingRules
{
    /// <param name="inputs">What was measured.</param>
    /// <exception cref="ArgumentOutOfRangeException">A duration, response time or number of processors that is not over 0.</exception>
    public static FindingsResult Judge(FindingInputs inputs)
    {
        ArgumentNullException.ThrowIfNull(inputs);
        if (inputs.Completed == 0 || inputs.ResponseSeconds is not { } response)
        {
            const string Reason = "No operation completed, so there is no response time to divide up.";
            return new FindingsResult
            {
                Resources = [.. ResourceNames.All.Select(name => Described(new Examination(name, Reason), ResourceState.NotExamined))],
            };
        }

        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(response, nameof(inputs.ResponseSeconds));
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(inputs.DurationSeconds, nameof(inputs.DurationSeconds));
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(inputs.Cores, nameof(inputs.Cores));
        var sweep = new ResourceSweep(inputs, response).Examine();
        var charged = ChargeQueueing(sweep, inputs, response);
        var guilty = charged
            .Where(e => e.Reason is null && (e.IsGuiltyAnyway || e.Impact >= FindingLimits.GuiltyShare * response)).ToList();
        return new FindingsResult
        {
            ResponseSeconds = response,
            UnexplainedSeconds = Math.Max(0, response - charged.Sum(e => e.Impact)),
            Ranked = [.. guilty.OrderByDescending(e => e.Impact).Select((e, index) => Finding(e, index + 1, inputs, response))],
            Resources =
            [
                .. charged.Select(e => Described(
                    e, e.Reason is not null ? ResourceState.NotExamined : guilty.Contains(e) ? ResourceState.Guilty
                        : ResourceState.Exonerated)),
            ],
        };
    }

    private static IReadOnlyList<Examination> ChargeQueueing(
        IReadOnlyList<Examination> sweep, FindingInputs inputs, double response)
    {
        var queueing = Math.Max(0, response - sweep.Sum(e => e.Seconds));
        var payer = sweep.Where(e => e.HasUnseenQueue && e.Utilisation >= FindingLimits.FullUtilisation).MaxBy(e => e.Seconds);
        if (payer is null && inputs.QueueWaitSeconds is { } wait)
        {
            payer = sweep.Single(e => e.Resource == ResourceNames.ServiceQueue);
            queueing = Math.Min(queueing, wait);
        }

        if (payer is null || queueing <= 0)
        {
            return sweep;
        }

        var what = payer.Utilisation is { } busy
            ? $"It is full ({Figures.Percent(busy)} busy), so {Figures.Ms(1000 * queueing)} ms that were measured nowhere count as "
                + "queueing for it."
            : $"No resource is full, so {Figures.Ms(1000 * queueing)} ms of that count as the queue's own.";
        return [.. sweep.Select(e => e == payer ? e with { QueueingSeconds = queueing, Evidence = [.. e.Evidence, what] } : e)];
    }

    private static FindingResult Finding(Examination examined, int rank, FindingInputs inputs, double response) => new()
    {
        Rank = rank,
        Resource = examined.Resource,
        ImpactSecondsPerOperation = examined.Impact,
        ShareOfResponseTime = Math.Min(1, examined.Impact / response),
        Evidence = examined.Evidence,
        Suggestion = Suggestions.For(examined.Resource),
        Confidence = inputs.Completed < FindingLimits.MinimumCompleted || examined.IsDisturbed || examined.Impact <= 0
            ? FindingConfidence.Low
            : examined.QueueingSeconds > examined.Seconds ? FindingConfidence.Medium
            : FindingConfidence.High,
    };

    private static ResourceResult Described(Examination examined, ResourceState state) => new()
    {
        Resource = examined.Resource,
        State = state,
        ImpactSecondsPerOperation = examined.Reason is null ? examined.Impact : null,
        Utilisation = examined.Utilisation,
        LimitPerSecond = examined.LimitPerSecond,
        Evidence = examined.Reason is { } reason ? [reason] : examined.Evidence,
    };
}

/// <summary>
/// What the rules go by: plain numbers over the measured part, from whatever measured them. Null means not measured; the reason then
/// belongs in <see cref="NotMeasured"/>.
/// </summary>
public sealed record FindingInputs
{
    public required long Completed { get; init; }

    /// <summary>Length of the measured part, seconds.</summary>
    public required double DurationSeconds { get; init; }

    /// <summary>
    /// Mean response time of an operation, seconds, without what the generator itself makes it wait for, such as the rest of its batch;
    /// null when none completed.
    /// </summary>
    public double? ResponseSeconds { get; init; }

    /// <summary>Processors that the processes may use.</summary>
    public int Cores { get; init; } = Environment.ProcessorCount;

    /// <summary>The process of the system under test; the generator's when the two are one.</summary>
    public ProcessUsage? Service { get; init; }

    /// <summary>The backend's processes together.</summary>
    public ProcessUsage? Database { get; init; }

    /// <summary>Processor seconds that the whole machine used, with those that the hypervisor gave to others.</summary>
    public double? MachineCpuSeconds { get; init; }

    /// <summary>Processor seconds of the generator, when it has a process of its own.</summary>
    public double GeneratorCpuSeconds { get; init; }

    /// <summary>What the backend's sessions waited for; empty is idle, null is not sampled.</summary>
    public IReadOnlyList<WaitTime>? Waits { get; init; }

    /// <summary>Moments that <see cref="Waits"/> is from.</summary>
    public int WaitSamples { get; init; }

    /// <summary>Seconds the backend spent forcing its log to the disk.</summary>
    public double? WalSyncSeconds { get; init; }

    /// <summary>The pool that the system under test takes its connections from.</summary>
    public ConnectionPoolUse? Pool { get; init; }

    /// <summary>Mean time that work waited inside the service for its own workers, seconds per operation.</summary>
    public double? QueueWaitSeconds { get; init; }

    /// <summary>Share of time, 0 to 1, in which garbage collection had stopped the service.</summary>
    public double? GcPauseShare { get; init; }

    /// <summary>
    /// Mean lateness of the generator, intended to actual start, seconds per operation; null in a closed model, which intends nothing.
    /// </summary>
    public double? ScheduleLagSeconds { get; init; }

    /// <summary>
    /// What the generator's health check holds against it, a sentence each; empty when it is healthy, null when it was not watched.
    /// </summary>
    public IReadOnlyList<string>? GeneratorEvidence { get; init; }

    /// <summary>Why a resource could not be measured, by its name of <see cref="ResourceNames"/>.</summary>
    public IReadOnlyDictionary<string, string> NotMeasured { get; init; } = new Dictionary<string, string>();
}

/// <summary>From where on a resource is guilty, and what is too little to say.</summary>
internal static class FindingLimits
{
    /// <summary>Share of the response time, 0 to 1, from which a resource is guilty.</summary>
    public const double GuiltyShare = 0.2;

    /// <summary>Busy share, 0 to 1, from which a resource counts as full, so that queueing may be charged to it.</summary>
    public const double FullUtilisation = 0.8;

    /// <summary>Schedule lag below this is never held against the generator, seconds: a thread pool cannot do better.</summary>
    public const double LagFloorSeconds = 0.001;

    /// <summary>Samples of sessions, of which fewer say nothing.</summary>
    public const int MinimumWaitSamples = 30;

    /// <summary>Processor time may be counted in hundredths of a second: a shorter run says nothing of it, seconds.</summary>
    public const double MinimumProcessorSeconds = 0.5;

    /// <summary>Completed operations below which every finding has low confidence.</summary>
    public const int MinimumCompleted = 30;
}

/// <summary>A connection pool over the measured part.</summary>
/// <param name="MaxConnections">Connections it may hold; over 0.</param>
/// <param name="AverageUsed">Connections in use on average.</param>
/// <param name="AverageWaiting">Requests that waited for a connection, on average.</param>
/// <param name="Timeouts">Requests that waited in vain.</param>
public sealed record ConnectionPoolUse(int MaxConnections, double AverageUsed, double AverageWaiting, long Timeouts);

/// <summary>One kind of waiting in the backend, from samples of its active sessions.</summary>
/// <param name="Name">The server's name for it.</param>
/// <param name="Resource">Which of <see cref="ResourceNames"/> is waited for; null for one that is measured elsewhere, such as processor
/// time.</param>
/// <param name="AverageSessions">Sessions in it on average; 0 or more.</param>
/// <param name="ShareOfMoments">Share of the samples, 0 to 1, in which at least one session was in it.</param>
public sealed record WaitTime(string Name, string? Resource, double AverageSessions, double ShareOfMoments);
