namespace LoadTesting.Core.Load;

/// <summary>The outcome of a threshold.</summary>
public enum ThresholdOutcome
{
    /// <summary>It holds.</summary>
    Passed,

    /// <summary>It does not hold, or could not be judged.</summary>
    Failed,

    /// <summary>Too few samples to judge.</summary>
    NotEnoughSamples,
}
