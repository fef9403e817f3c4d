namespace LoadTesting.Core.Results;

/// <summary>
/// Everything one run found out: the document in <c>run.json</c>, in the file of each scenario (then with that scenario alone) and in a
/// stored baseline. Its JSON Schema is exported by <see cref="ResultSchema"/>.
/// </summary>
public sealed record RunResult
{
    /// <summary>The version this code writes. A reader accepts any document of the same major version.</summary>
    public const string CurrentSchemaVersion = "1.0";

    /// <summary>Version of the format, <c>major.minor</c>; the minor grows when members are added.</summary>
    public string SchemaVersion { get; init; } = CurrentSchemaVersion;

    /// <summary>Name of the run's directory, <c>yyyyMMddTHHmmssZ-commit</c>.</summary>
    public required string RunId { get; init; }

    /// <summary>When the run began, UTC.</summary>
    public required DateTimeOffset CreatedUtc { get; init; }

    /// <summary>Full hash of the commit under test; null outside a repository.</summary>
    public string? Commit { get; init; }

    /// <summary>Whether the work tree differed from <see cref="Commit"/>; null when that could not be found out.</summary>
    public bool? Dirty { get; init; }

    /// <summary>The machine, the runtime and the backends.</summary>
    public required EnvironmentInfo Environment { get; init; }

    /// <summary>
    /// Ceilings measured in the same run. With several profiles a member is filled when exactly one profile measured it; the profiles
    /// stand side by side in <see cref="CeilingsByProfile"/>.
    /// </summary>
    public CeilingsResult? Ceilings { get; init; }

    /// <summary>Ceilings of each profile.</summary>
    public IReadOnlyDictionary<string, CeilingsResult> CeilingsByProfile { get; init; } = new Dictionary<string, CeilingsResult>();

    /// <summary>The scenarios, in the order in which they finished.</summary>
    public IReadOnlyList<ScenarioResult> Scenarios { get; init; } = [];

    /// <summary>Ladders among the scenarios, and searches for the capacity.</summary>
    public IReadOnlyList<CapacityResult> Capacity { get; init; } = [];

    /// <summary>What was asked for and could not be run, with the reason.</summary>
    public IReadOnlyList<NotExercised> NotExercised { get; init; } = [];

    /// <summary>Remarks on the run as a whole, among them why a member is null.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];
}
