namespace LoadTesting.Core.Load.Health;

/// <summary>How long work waits for threads of the generator's thread pool.</summary>
public enum PoolState
{
    /// <summary>Not long compared with the operations.</summary>
    Free,

    /// <summary>The system under test, in the generator's own process, starves the pool.</summary>
    StarvedBySystem,

    /// <summary>The generator starves its own pool.</summary>
    StarvedByGenerator,
}
