namespace LoadTesting.Core.Analysis.Findings;

/// <summary>
/// The input of the rules: figures over the measured part. Null means not measured; the reason belongs in
/// <see cref="NotMeasured"/>.
/// </summary>
public sealed record FindingInputs
{
    public required long Completed { get; init; }

    /// <summary>Length of the measured part with its stalls, seconds.</summary>
    public required double DurationSeconds { get; init; }

    /// <summary>
    /// Mean response time of an operation, seconds, without what the generator itself makes it wait for, such as the
    /// rest of its batch; null when none completed.
    /// </summary>
    public double? ResponseSeconds { get; init; }

    /// <summary>
    /// Whether operations begin by a schedule: they then do not queue because others of them are slow to end.
    /// </summary>
    public bool IsOpen { get; init; }

    /// <summary>Processors that the processes may use.</summary>
    public int Cores { get; init; } = Environment.ProcessorCount;

    /// <summary>
    /// The measured part without its stalls, in pieces of about a fifth of a second: together they are divided up, and
    /// parts of them show whether a finding holds all the time.
    /// </summary>
    public required IReadOnlyList<FindingSpan> Spans { get; init; }

    /// <summary>Times in which nothing completed although operations were in flight.</summary>
    public IReadOnlyList<StallResult> Stalls { get; init; } = [];

    /// <summary>The pool that the system under test takes its connections from; its waits are in the spans.</summary>
    public ConnectionPoolUse? Pool { get; init; }

    /// <summary>Mean time that work waited inside the service for its own workers, seconds per operation.</summary>
    public double? QueueWaitSeconds { get; init; }

    /// <summary>
    /// Mean lateness of the generator, intended to actual start, seconds per operation; null in a closed model, which
    /// intends nothing.
    /// </summary>
    public double? ScheduleLagSeconds { get; init; }

    /// <summary>
    /// What the generator's health check holds against it, a sentence each; empty when it is healthy, null when it was
    /// not watched.
    /// </summary>
    public IReadOnlyList<string>? GeneratorEvidence { get; init; }

    /// <summary>
    /// Why a resource that the system has could not be measured, by its name of <see cref="ResourceNames"/>.
    /// </summary>
    public IReadOnlyDictionary<string, string> NotMeasured { get; init; } = new Dictionary<string, string>();

    /// <summary>
    /// Why the system does not have a resource, by its name of <see cref="ResourceNames"/>: no operation waits for it.
    /// </summary>
    public IReadOnlyDictionary<string, string> Absent { get; init; } = new Dictionary<string, string>();
}
