namespace LoadTesting.Core.Results;

/// <summary>What the backend counted while the scenario ran.</summary>
public sealed record BackendCounters
{
    /// <summary>Differences of the server's own counters, under the server's own names.</summary>
    public IReadOnlyDictionary<string, double> Raw { get; init; } = new Dictionary<string, double>();

    /// <summary>Counted cost per completed operation: <c>commits</c>, <c>walBytes</c>, <c>logicalReads</c>, <c>rows</c> and the like.</summary>
    public IReadOnlyDictionary<string, double?> PerOperation { get; init; } = new Dictionary<string, double?>();

    /// <summary>What counted a member of <see cref="PerOperation"/>, where it was not the server itself; null when all were its own.</summary>
    public IReadOnlyDictionary<string, string>? Sources { get; init; }

    /// <summary>Dominant waits, the greatest share first.</summary>
    public IReadOnlyList<WaitResult> Waits { get; init; } = [];

    /// <summary>Why a counter is missing.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];
}
