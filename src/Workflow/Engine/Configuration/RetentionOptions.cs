namespace Workflow.Engine.Configuration;

/// <summary>How long expired data is kept, and in what portions one node removes it.</summary>
public sealed record RetentionOptions
{
    /// <summary>How long events that every publisher has accepted are kept. Default 24 hours.</summary>
    public TimeSpan Events { get; init; } = TimeSpan.FromHours(24);

    /// <summary>How long idempotency keys are kept. A request repeated later is a new one. Default 24 hours.</summary>
    public TimeSpan Keys { get; init; } = TimeSpan.FromHours(24);

    /// <summary>How long replayed dead letters are kept; open ones are kept forever. Default 24 hours.</summary>
    public TimeSpan DeadLetters { get; init; } = TimeSpan.FromHours(24);

    /// <summary>
    /// How long finished instances are kept after their end, with histories, tasks and lists of sub-workflows. At least
    /// <see cref="Keys"/>, because keys refer to them. Default: null, forever.
    /// </summary>
    public TimeSpan? FinishedInstances { get; init; }

    /// <summary>The maximum number of rows of a kind that one statement removes. Default 1,000.</summary>
    public int Portion { get; init; } = 1_000;

    /// <summary>
    /// The shortest pause between two portions while much is left. The longest pause is 5 s, or this if it is longer.
    /// Default 20 ms.
    /// </summary>
    public TimeSpan Pause { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>Returns a message for each option out of range; empty if all are valid.</summary>
    public IEnumerable<string> Violations()
    {
        (string Name, TimeSpan? Value)[] times =
        [
            (nameof(Events), Events), (nameof(Keys), Keys), (nameof(DeadLetters), DeadLetters),
            (nameof(FinishedInstances), FinishedInstances),
        ];
        foreach (var (name, value) in times.Where(t => t.Value <= TimeSpan.Zero || t.Value > IsoDuration.Longest))
        {
            yield return
                $"Retention.{name} is {value}; it must be positive and at most {IsoDuration.Longest.Days} days.";
        }

        if (FinishedInstances < Keys)
        {
            yield return $"Retention.{nameof(FinishedInstances)} is {FinishedInstances}; it must be at least "
                + $"Retention.{nameof(Keys)}, which is {Keys}: a key names its instance.";
        }

        if (Portion < 1)
        {
            yield return $"Retention.{nameof(Portion)} is {Portion}; it must be 1 or more.";
        }

        if (Pause < TimeSpan.Zero)
        {
            yield return $"Retention.{nameof(Pause)} is {Pause}; it must not be negative.";
        }
    }
}
