namespace LoadTesting.Core.Load.Operations;

/// <summary>The outcome of the request that creates an operation.</summary>
public enum SendOutcome
{
    NotSent,

    /// <summary>The system acknowledged it.</summary>
    Accepted,

    /// <summary>The system refused it; it has no effect.</summary>
    Refused,

    /// <summary>Unknown: a timeout, or an error that does not tell.</summary>
    Unknown,
}
