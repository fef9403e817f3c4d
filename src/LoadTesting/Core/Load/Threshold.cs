namespace LoadTesting.Core.Load;

/// <summary>
/// A rule on the result. It fails without looking at the numbers where fewer successful samples than its minimum were taken: a percentile
/// of nothing is not a pass.
/// </summary>
public sealed class Threshold
{
    private readonly Func<ScenarioStats, long> _count;
    private readonly Func<ScenarioStats, bool> _check;

    private Threshold(string name, string? stepName, long minimumCount, Func<ScenarioStats, long> count, Func<ScenarioStats, bool> check)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        if (minimumCount < 1)
        {
            throw new ArgumentOutOfRangeException(
                nameof(minimumCount), minimumCount, $"Threshold '{name}' asks for at least {minimumCount} samples; a rule that holds "
                    + "without a sample is none: ask for at least 1.");
        }

        (Name, StepName, MinimumCount, _count, _check) = (name, stepName, minimumCount, count, check);
    }

    /// <summary>What the reader sees.</summary>
    public string Name { get; }

    /// <summary>The step it looks at; null for the whole iteration.</summary>
    public string? StepName { get; }

    /// <summary>Successful samples it needs.</summary>
    public long MinimumCount { get; }

    /// <summary>A rule on whole iterations.</summary>
    /// <param name="name">What the reader sees, such as "p99 below 50 ms".</param>
    /// <param name="minimumCount">Successful iterations it needs; at least 1.</param>
    /// <param name="check">True where the result is good enough.</param>
    public static Threshold Create(string name, long minimumCount, Func<ScenarioStats, bool> check)
    {
        ArgumentNullException.ThrowIfNull(check);
        return new Threshold(name, null, minimumCount, result => result.Ok.Count, check);
    }

    /// <summary>A rule on one step. A step that never ran has no samples, and fails.</summary>
    /// <param name="name">What the reader sees.</param>
    /// <param name="minimumCount">Successful runs of the step it needs; at least 1.</param>
    /// <param name="check">True where the step's result is good enough.</param>
    public static Threshold ForStep(string name, string stepName, long minimumCount, Func<StepStats, bool> check)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(stepName);
        ArgumentNullException.ThrowIfNull(check);
        return new Threshold(
            name, stepName, minimumCount, result => result.FindStep(stepName)?.Ok.Count ?? 0, result => check(result.Step(stepName)));
    }

    /// <summary>Judges a result. A check that throws has failed, and the reason carries the exception.</summary>
    public ThresholdResult Evaluate(ScenarioStats result)
    {
        ArgumentNullException.ThrowIfNull(result);
        var count = _count(result);
        var subject = StepName is null ? "successful iterations" : $"successful runs of step '{StepName}'";
        if (count < MinimumCount)
        {
            return new ThresholdResult(Name, true, count, MinimumCount, $"{count} {subject}, at least {MinimumCount} are needed");
        }

        try
        {
            return _check(result)
                ? new ThresholdResult(Name, false, count, MinimumCount, $"holds over {count} {subject}")
                : new ThresholdResult(Name, true, count, MinimumCount, $"does not hold over {count} {subject}");
        }
        catch (Exception exception)
        {
            return new ThresholdResult(
                Name, true, count, MinimumCount, $"could not be judged: {exception.GetType().Name}: {exception.Message}");
        }
    }
}

/// <param name="IsFailed">True where it does not hold, has too few samples, or could not be judged.</param>
/// <param name="Count">Successful samples it had.</param>
/// <param name="MinimumCount">Successful samples it needs.</param>
/// <param name="Reason">Why.</param>
public sealed record ThresholdResult(string Name, bool IsFailed, long Count, long MinimumCount, string Reason);
