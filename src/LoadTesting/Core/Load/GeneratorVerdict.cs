namespace LoadTesting.Core.Load;

/// <summary>Whether the generator could follow.</summary>
public enum GeneratorVerdict
{
    /// <summary>No limit was exceeded.</summary>
    Healthy,

    /// <summary>The generator, not the system under test, may be what limited the run: the numbers are inconclusive.</summary>
    Bound,
}
