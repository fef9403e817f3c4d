namespace LoadTesting.Core.Load;

/// <summary>Who decides when the next iteration starts.</summary>
public enum LoadModel
{
    /// <summary>A schedule: iterations start whether or not earlier ones have ended. Headline latency is the response time.</summary>
    Open,

    /// <summary>The end of the iteration before: a fixed number of copies. Headline latency is the service time.</summary>
    Closed,
}
