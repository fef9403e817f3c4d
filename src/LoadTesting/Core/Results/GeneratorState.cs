namespace LoadTesting.Core.Results;

/// <summary>Whether the generator kept up.</summary>
public enum GeneratorState
{
    Healthy,

    /// <summary>It was itself the limit: the result says more about the generator than about the system.</summary>
    Bound,
}
