namespace Workflow.Engine.Configuration;

/// <summary>
/// How many live instances a node keeps in memory. An instance that waits is moved to the store alone (it becomes
/// dormant) when it has waited for <see cref="IdleTime"/>, or when one of the limits is exceeded, those first that were
/// used the longest time ago. What it waits for brings it back.
/// </summary>
public sealed record ResidencyOptions
{
    /// <summary>
    /// How long an instance waits in memory. Zero makes every instance dormant that waits. Default 60 s.
    /// </summary>
    public TimeSpan IdleTime { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// The number of instances in the memory of a node, over all its lanes; more only while they run or have just come.
    /// A start and a takeover read so many. Default 50,000.
    /// </summary>
    public int MaxInstances { get; init; } = 50_000;

    /// <summary>
    /// The size of these instances: characters of JSON, each of which takes about two bytes. Default 67,108,864.
    /// </summary>
    public long MaxSize { get; init; } = 64L * 1_048_576;

    /// <summary>Returns a message for each option out of range; empty if all are valid.</summary>
    public IEnumerable<string> Violations()
    {
        if (IdleTime < TimeSpan.Zero || IdleTime > IsoDuration.Longest)
        {
            yield return $"Residency.{nameof(IdleTime)} is {IdleTime}; it must be 0 to {IsoDuration.Longest.Days} days.";
        }

        if (MaxInstances < 1)
        {
            yield return $"Residency.{nameof(MaxInstances)} is {MaxInstances}; it must be 1 or more.";
        }

        if (MaxSize < 1)
        {
            yield return $"Residency.{nameof(MaxSize)} is {MaxSize}; it must be 1 or more.";
        }
    }
}
