namespace LoadTesting.Core.Load;

/// <summary>The kind of a threshold.</summary>
public enum ThresholdKind
{
    /// <summary>On counts or errors: a miss is a wrong result, in every tier.</summary>
    Counts,

    /// <summary>On times or rates: a miss is a slow result.</summary>
    Times,
}
