namespace LoadTesting.Core.Results;

/// <summary>What one ladder, or one search for the capacity, found out.</summary>
public sealed record CapacityResult
{
    /// <summary>Full name: <c>profile-ladder</c>, with the suffix <c>-http</c> over HTTP.</summary>
    public required string Name { get; init; }

    /// <summary>Backend combination.</summary>
    public required string Profile { get; init; }

    /// <summary>In process or over HTTP.</summary>
    public required HostingKind Hosting { get; init; }

    /// <summary>How it ended.</summary>
    public required CapacityOutcome Outcome { get; init; }

    /// <summary>The finding in one sentence.</summary>
    public required string Sentence { get; init; }

    /// <summary>Rungs by requests at a time; null without.</summary>
    public LadderResult? Closed { get; init; }

    /// <summary>Rungs by offered rate; null without.</summary>
    public LadderResult? Open { get; init; }

    /// <summary>The limit, operations per second: the geometric middle of <see cref="Bracket"/>. Null unless found.</summary>
    public double? LimitPerSecond { get; init; }

    /// <summary>From the highest comfortable to the lowest rate under pressure, operations per second. Null unless found.</summary>
    public IntervalResult? Bracket { get; init; }

    /// <summary>The estimators side by side.</summary>
    public IReadOnlyList<EstimateResult> Estimates { get; init; } = [];

    /// <summary>The Universal Scalability Law through the closed rungs.</summary>
    public ScalabilityResult? Scalability { get; init; }

    /// <summary>What each resource allows by the utilisation law, the tightest first.</summary>
    public IReadOnlyList<BoundResult> Bounds { get; init; } = [];

    /// <summary>What limits: a resource, or the words for a lock; null where that cannot be told.</summary>
    public string? BoundBy { get; init; }

    /// <summary>The resource that would limit next; null where that cannot be told.</summary>
    public string? NextLimit { get; init; }

    /// <summary>Remarks, among them why a member is null.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>The name without its profile prefix.</summary>
    public string NameWithoutProfile() =>
        Name.StartsWith(Profile + "-", StringComparison.Ordinal) ? Name[(Profile.Length + 1)..] : Name;
}
