namespace LoadTesting.Core.Results;

/// <summary>Where the response time of a scenario goes: ranked findings, and every resource guilty, exonerated or not examined.</summary>
public sealed record FindingsResult
{
    /// <summary>The mean response time that is divided up, seconds; null when no operation completed.</summary>
    public double? ResponseSeconds { get; init; }

    /// <summary>The part of it that no resource accounts for, seconds; null when no operation completed.</summary>
    public double? UnexplainedSeconds { get; init; }

    /// <summary>The guilty resources, the greatest impact first; empty when none is.</summary>
    public IReadOnlyList<FindingResult> Ranked { get; init; } = [];

    /// <summary>Every resource, examined or not, in a fixed order.</summary>
    public required IReadOnlyList<ResourceResult> Resources { get; init; }
}
