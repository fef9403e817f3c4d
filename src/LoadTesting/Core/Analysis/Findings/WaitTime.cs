namespace LoadTesting.Core.Analysis.Findings;

/// <summary>One kind of waiting in the backend, from samples of its active sessions.</summary>
/// <param name="Name">The server's name for it.</param>
/// <param name="Resource">Which of <see cref="ResourceNames"/> is waited for; null for one that is measured elsewhere, such as processor
/// time.</param>
/// <param name="AverageSessions">Sessions in it on average; 0 or more.</param>
/// <param name="ShareOfMoments">Share of the samples, 0 to 1, in which at least one session was in it.</param>
public sealed record WaitTime(string Name, string? Resource, double AverageSessions, double ShareOfMoments);
