namespace Workflow.Engine.Configuration;

/// <summary>How long what is over is kept, and in what portions it is removed. One node does it.</summary>
public sealed record RetentionOptions
{
    /// <summary>Events that every publisher has taken. Default 24 hours.</summary>
    public TimeSpan Events { get; init; } = TimeSpan.FromHours(24);

    /// <summary>Idempotency keys: a request repeated later is a new one. Default 24 hours.</summary>
    public TimeSpan Keys { get; init; } = TimeSpan.FromHours(24);

    /// <summary>Dead letters that were replayed; open ones are kept. Default 24 hours.</summary>
    public TimeSpan DeadLetters { get; init; } = TimeSpan.FromHours(24);

    /// <summary>
    /// Finished instances, from their end, with histories, tasks and lists of sub-workflows; at least <see cref="Keys"/>, which name them.
    /// Default: null, for ever.
    /// </summary>
    public TimeSpan? FinishedInstances { get; init; }

    /// <summary>Rows of a kind that one statement removes at most. Default 1,000.</summary>
    public int Portion { get; init; } = 1_000;

    /// <summary>The shortest pause between two portions, while much is left; the longest is 5 s, or this. Default 20 ms.</summary>
    public TimeSpan Pause { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>Every option out of its range; empty when all are valid.</summary>
    public IEnumerable<string> Violations()
    {
        (string Name, TimeSpan? Value)[] times =
        [
            (nameof(Events), Events), (nameof(Keys), Keys), (nameof(DeadLetters), DeadLetters),
            (nameof(FinishedInstances), FinishedInstances),
        ];
        foreach (var (name, value) in times.Where(t => t.Value <= TimeSpan.Zero || t.Value > IsoDuration.Longest))
        {
            yield return $"Retention.{name} is {value}; it must be positive and at most {IsoDuration.Longest.Days} days.";
        }

        if (FinishedInstances < Keys)
        {
            yield return $"Retention.{nameof(FinishedInstances)} is {FinishedInstances}; it must be at least Retention.{nameof(Keys)}, "
                + $"which is {Keys}: a key names its instance.";
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
