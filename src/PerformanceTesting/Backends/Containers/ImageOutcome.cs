namespace PerformanceTesting.Backends.Containers;

/// <summary>An image that containers can be started from, or why there is none.</summary>
/// <param name="Reference">As <c>docker image inspect</c> takes it; null when there is none.</param>
/// <param name="Refusal">Why, and the command that gets it; null when there is one.</param>
public sealed record ImageOutcome(string? Reference, string? Refusal);
