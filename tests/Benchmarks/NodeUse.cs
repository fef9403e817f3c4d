namespace Benchmarks;

/// <summary>How clients use several processes of the service.</summary>
internal enum NodeUse
{
    /// <summary>The processes share a schema; a start goes to one and the signal to the next.</summary>
    Any,

    /// <summary>The processes share a schema; the client sends to owners.</summary>
    Routed,

    /// <summary>
    /// Each process has a schema of its own, and a workflow stays with one: no work is forwarded, and what is missing
    /// of the rate of one process is the price of running several on these processors.
    /// </summary>
    Apart,
}
