namespace PerformanceTests.Running;

/// <summary>What became of a request.</summary>
public enum SendOutcome
{
    /// <summary>It was not sent.</summary>
    NotSent,

    /// <summary>It was acknowledged.</summary>
    Accepted,

    /// <summary>It was refused, and has no effect.</summary>
    Refused,

    /// <summary>Nobody knows: a time-out, or an error that leaves it open.</summary>
    Unknown,
}
