namespace LoadTesting.Core.Load;

public sealed record LoadOptions
{
    /// <summary>
    /// How long iterations that have started may still run when nothing more is started. Default 30 s. Those that are not over by then are
    /// counted as unfinished and their <c>ScenarioCancellationToken</c> is cancelled.
    /// </summary>
    public TimeSpan CompletionTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Whether <c>ScenarioCancellationToken</c> is cancelled as soon as nothing more starts: when the schedule of a scenario has ended or
    /// was stopped, in the warm-up too. A number of iterations ends with its last one, which is not cancelled. Default: no, only when
    /// <see cref="CompletionTimeout"/> has passed.
    /// </summary>
    public bool CancelsAtScheduleEnd { get; init; }

    /// <summary>When the generator counts as the bottleneck. Default: see <see cref="GeneratorHealthLimits"/>.</summary>
    public GeneratorHealthLimits HealthLimits { get; init; } = new();

    /// <summary>What the timeline shows beside the load. Default: processor time of this process and of the machine.</summary>
    public ITimelineSource Timeline { get; init; } = new ProcessTimeline();

    /// <summary>
    /// How long the one reader that takes all events of the system has worked on them so far, instead of waiting for more; read every
    /// 10 ms. Null, the default, where there is none: callbacks on the thread pool are watched with the pool.
    /// </summary>
    public Func<TimeSpan>? ConsumerWork { get; init; }

    /// <summary>
    /// Called and awaited as soon as the last iteration has ended; default: nothing. What is to be seen right after the load is looked for
    /// here and not when <see cref="LoadRunner.RunAsync"/> has returned: an external load engine takes seconds until then.
    /// </summary>
    public Func<Task>? WhenOver { get; init; }

    /// <summary>
    /// Awaited when everything is prepared and warmed up, right before the measured load: for several processes that start together. It
    /// gives the instant that they agreed, in Stopwatch ticks, from which schedules and timelines count. Default: starts at once.
    /// </summary>
    public Func<CancellationToken, Task<long>>? WaitForStart { get; init; }

    /// <summary>
    /// Is given what each <see cref="Interval"/> measured while the load runs, and the rest when it has ended: the counts of all intervals
    /// are those of the result. Called on a thread of the run, which it must not hold up. Default: nobody.
    /// </summary>
    public Action<LoadInterval>? OnInterval { get; init; }

    /// <summary>How long an interval is: whole seconds, at least 1. Default 5 s.</summary>
    public TimeSpan Interval { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Ends the measured load before its time: nothing more starts, what runs may end, and the result is kept, with
    /// <see cref="LoadResult.IsInterrupted"/>. Default: never.
    /// </summary>
    public CancellationToken Interruption { get; init; }

    /// <summary>Publishes the measured load's figures while it runs, once a second. Default: nobody.</summary>
    public LoadMetrics? Metrics { get; init; }

    /// <summary>
    /// How many iterations of a scenario, by its name, the system has refused so far; asked once a second for <see cref="Metrics"/>. Null,
    /// the default: failures with status code 429 or 503.
    /// </summary>
    public Func<string, long>? Refusals { get; init; }

    /// <summary>
    /// Seed of <c>IScenarioContext.Random</c>. Default 1. Poisson arrivals and random rates have their own in the simulation.
    /// </summary>
    public int Seed { get; init; } = 1;
}
