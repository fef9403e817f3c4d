namespace PerformanceTesting.Subjects;

/// <summary>What a node says of itself.</summary>
/// <param name="OwnedLanes">Those that it works on.</param>
internal sealed record NodeState(string NodeName, IReadOnlyList<int> OwnedLanes);
