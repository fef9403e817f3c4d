namespace LoadTesting.Core.Results;

/// <summary>What an examination of a resource came to.</summary>
public enum ResourceState
{
    /// <summary>It takes a considerable share of the response time.</summary>
    Guilty,

    /// <summary>It was examined, and takes no considerable share.</summary>
    Exonerated,

    /// <summary>Nothing is known of it; it may or may not be what limits.</summary>
    NotExamined,
}
