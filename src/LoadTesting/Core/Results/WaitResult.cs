namespace LoadTesting.Core.Results;

/// <summary>One class of waiting in the backend.</summary>
/// <param name="Name">The server's name for it.</param>
/// <param name="Share">Share of sampled session time, 0 to 1; null where a record has the name only.</param>
public sealed record WaitResult(string Name, double? Share);
