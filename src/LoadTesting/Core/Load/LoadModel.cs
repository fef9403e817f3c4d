namespace LoadTesting.Core.Load;

/// <summary>What starts the next iteration.</summary>
public enum LoadModel
{
    /// <summary>
    /// A schedule: iterations start whether or not earlier ones have ended. The latency is the response time.
    /// </summary>
    Open,

    /// <summary>The end of the iteration before: a fixed number of copies. The latency is the service time.</summary>
    Closed,
}
