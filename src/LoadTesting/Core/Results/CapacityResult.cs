namespace LoadTesting.Core.Results;

/// <summary>What one ladder, or one search for the capacity, found out.</summary>
public sealed record CapacityResult
{
    /// <summary>Full name: <c>profile-ladder</c>, with the suffix <c>-http</c> over HTTP.</summary>
    public required string Name { get; init; }

    /// <summary>Backend combination.</summary>
    public required string Profile { get; init; }

    public required HostingKind Hosting { get; init; }
    public required CapacityOutcome Outcome { get; init; }
    public required string Sentence { get; init; }

    /// <summary>Load steps by requests at a time; null without.</summary>
    public LadderResult? Closed { get; init; }

    /// <summary>Load steps by offered rate; null without.</summary>
    public LadderResult? Open { get; init; }

    /// <summary>
    /// The limit, operations per second: the geometric middle of <see cref="Bracket"/>. Null unless found.
    /// </summary>
    public double? LimitPerSecond { get; init; }

    /// <summary>
    /// From the highest comfortable to the lowest rate under pressure, operations per second. Null unless found.
    /// </summary>
    public IntervalResult? Bracket { get; init; }

    /// <summary>What each resource allows by the utilisation law, the tightest first.</summary>
    public IReadOnlyList<BoundResult> Bounds { get; init; } = [];

    /// <summary>The limiting resource or lock; null if unknown.</summary>
    public string? BoundBy { get; init; }

    /// <summary>The resource that would limit next; null if unknown.</summary>
    public string? NextLimit { get; init; }

    /// <summary>
    /// What was lost, doubled or left over at any load step, and what the limit falls short of, a sentence each; empty
    /// where nothing was. Null of a ladder, where nothing looked.
    /// </summary>
    public IReadOnlyList<string>? Violations { get; init; }

    /// <summary>Remarks, among them why a member is null.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>
    /// Failed where anything was violated or the lowest rate was too much, passed where a limit was found, inconclusive
    /// where ladder or generator ended first.
    /// </summary>
    public VerdictResult ToVerdict() => this switch
    {
        { Violations: { Count: > 0 } violations } => new(VerdictOutcome.Failed, violations),
        { Outcome: CapacityOutcome.NothingComfortable } => new(VerdictOutcome.Failed, [Sentence]),
        { Outcome: CapacityOutcome.Found } => new(VerdictOutcome.Passed, []),
        _ => new(VerdictOutcome.Inconclusive, [Sentence]),
    };

    /// <summary><see cref="Sentence"/>, with what was violated.</summary>
    public string SentenceWithViolations() =>
        Violations is { Count: > 0 } ? $"{Sentence} Failed: {string.Join("; ", Violations)}." : Sentence;

    public string NameWithoutProfile() =>
        Name.StartsWith(Profile + "-", StringComparison.Ordinal) ? Name[(Profile.Length + 1)..] : Name;
}

/// <summary>Load steps of one kind of load, with what decides between comfort and pressure.</summary>
public sealed record LadderResult
{
    /// <summary>The criteria as sentences, with their limits.</summary>
    public required IReadOnlyList<string> Criteria { get; init; }

    /// <summary>In ascending order of load; a load step that was measured again stands more than once.</summary>
    [JsonPropertyName("rungs")]
    public required IReadOnlyList<LoadStepResult> Steps { get; init; }

    /// <summary>
    /// Highest comfortable load whose predecessors are comfortable: requests at a time (closed) or operations per
    /// second (open); null when the lowest is not.
    /// </summary>
    public double? LastComfortable { get; init; }

    /// <summary>Lowest load that is not comfortable; null when all are.</summary>
    public double? FirstPressure { get; init; }
}

/// <summary>
/// What one operation needs of one resource: by the utilisation law no more than servers / demand can be done in a
/// second.
/// </summary>
/// <param name="Resource">The resource, e.g. <c>service CPU</c>.</param>
/// <param name="SecondsPerOperation">D = busy time / completed operations, seconds; 0 or more.</param>
/// <param name="Servers">How many there are of it, e.g. cores; over 0.</param>
public sealed record DemandResult(string Resource, double SecondsPerOperation, double Servers);

/// <summary>The throughput that a resource would allow by itself: servers / demand.</summary>
/// <param name="SecondsPerOperation">What an operation needs of it, seconds.</param>
/// <param name="Servers">How many there are of it.</param>
/// <param name="Utilisation">Its busy share at the load step the demand was taken from, 0 to 1.</param>
/// <param name="PerSecond">The bound, operations per second.</param>
public sealed record BoundResult(
    string Resource, double SecondsPerOperation, double Servers, double Utilisation, double PerSecond);

/// <summary>An interval, both ends included.</summary>
/// <param name="Low">Lower end.</param>
/// <param name="High">Upper end.</param>
public sealed record IntervalResult(double Low, double High);
