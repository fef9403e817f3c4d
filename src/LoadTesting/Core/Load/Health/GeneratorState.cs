namespace LoadTesting.Core.Load.Health;

/// <summary>Whether the generator kept up.</summary>
public enum GeneratorState
{
    /// <summary>No limit was exceeded.</summary>
    Healthy,

    /// <summary>
    /// The generator, not the system under test, may have limited the run: the result is inconclusive.
    /// </summary>
    Bound,
}
