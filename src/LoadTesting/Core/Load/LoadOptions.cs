namespace LoadTesting.Core.Load;

public sealed record LoadOptions
{
    /// <summary>
    /// How long started iterations may continue after the last start. Default 30 s. Iterations that are still running
    /// then count as unfinished, and their <c>ScenarioCancellationToken</c> is cancelled.
    /// </summary>
    public TimeSpan CompletionTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Whether <c>ScenarioCancellationToken</c> is cancelled when the schedule of a scenario ends or is stopped, also
    /// in the warm-up. A load with a fixed number of iterations ends with its last iteration, which is not cancelled.
    /// Default false: the token is cancelled when <see cref="CompletionTimeout"/> has passed.
    /// </summary>
    public bool CancelsAtScheduleEnd { get; init; }

    /// <summary>The limits beyond which the generator counts as the bottleneck.</summary>
    public GeneratorHealthLimits HealthLimits { get; init; } = new();

    /// <summary>
    /// The source of the timeline's other figures. Default: processor time of this process and of the machine.
    /// </summary>
    public ITimelineSource Timeline { get; init; } = new ProcessTimeline();

    /// <summary>
    /// Total time that the single reader of all events has spent working instead of waiting; read every 10 ms. Null
    /// (the default) if there is no such reader: callbacks on the thread pool are watched with the pool.
    /// </summary>
    public Func<TimeSpan>? ConsumerWork { get; init; }

    /// <summary>
    /// Awaited as soon as the last iteration has ended; null (the default) for nothing. Use it for readings right after
    /// the load: with an external load engine <see cref="LoadRunner.RunAsync"/> returns seconds later.
    /// </summary>
    public Func<Task>? WhenOver { get; init; }

    /// <summary>
    /// Awaited after preparation and warm-up, right before the measured load, so that several processes can start
    /// together. Returns the agreed start in Stopwatch ticks, from which schedules and timelines count. Null (the
    /// default) to start at once.
    /// </summary>
    public Func<CancellationToken, Task<long>>? WaitForStart { get; init; }

    /// <summary>
    /// Receives the measurements of each <see cref="Interval"/> while the load runs, and the rest when it has ended:
    /// the counts of all intervals add up to those of the result. Called on a thread of the run, which it must not
    /// block. Null (the default) for none.
    /// </summary>
    public Action<LoadInterval>? OnInterval { get; init; }

    /// <summary>Length of an interval: whole seconds, at least 1. Default 5 s.</summary>
    public TimeSpan Interval { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Ends the measured load early: no more iterations start, running ones may end, and the result is kept with
    /// <see cref="LoadResult.IsInterrupted"/>. Default: never.
    /// </summary>
    public CancellationToken Interruption { get; init; }

    /// <summary>
    /// Publishes the measured load's figures once a second while it runs. Null (the default) for none.
    /// </summary>
    public LoadMetrics? Metrics { get; init; }

    /// <summary>
    /// The number of iterations of a scenario, by name, that the system has refused so far; called once a second for
    /// <see cref="Metrics"/>. Null (the default) to count failures with status code 429 or 503.
    /// </summary>
    public Func<string, long>? Refusals { get; init; }

    /// <summary>
    /// Seed of <c>IScenarioContext.Random</c>. Default 1. Poisson arrivals and random rates take theirs from the
    /// simulation.
    /// </summary>
    public int Seed { get; init; } = 1;
}
