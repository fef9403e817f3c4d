namespace LoadTesting.Core.Analysis.Gating;

/// <summary>
/// How pairs of windows are recorded: the services of both builds run all the time, and one generator loads them by
/// turns. Kept beside the pairs in <c>recording.json</c>, where the recording suite reads it.
/// </summary>
/// <param name="Base">Checkout of the base, built.</param>
/// <param name="Candidate">Checkout of the candidate, built.</param>
/// <param name="Profile">Backend combination.</param>
/// <param name="WindowSeconds">Length of a window, seconds.</param>
/// <param name="Pairs">Pairs, where their number is fixed.</param>
/// <param name="Seed">Decides the order of the sides.</param>
public sealed record WindowRecording(
    string Base, string Candidate, string Profile, double WindowSeconds, int Pairs, int Seed)
{
    /// <summary>
    /// Environment variable with the directory of the pairs; the suite that finds it records and ends.
    /// </summary>
    public const string DirectoryVariable = "WORKFLOW_PERF_WINDOWS";

    private static readonly JsonSerializerOptions Readable =
        new(JsonSerializerDefaults.Web) { WriteIndented = true, NewLine = "\n" };

    /// <summary>
    /// The load of a window, by the name that the candidate's suite has for it; null for the suite's first.
    /// </summary>
    public string? Scenario { get; init; }

    /// <summary>Rounds of windows at the most, at least three, in which both sides warm up.</summary>
    public int MostWarmUps { get; init; } = 10;

    /// <summary>Most pairs, where they are recorded until it is clear; else null.</summary>
    public int? MaxPairs { get; init; }

    [JsonIgnore]
    public GateDesign Design => GateDesign.Of(MaxPairs);

    /// <summary>Whether the recorded pairs suffice.</summary>
    public bool IsEnough(IReadOnlyList<RecordedPair> pairs) =>
        Design is { IsSequential: true } design
            ? PairGate.MayEnd(pairs, Base, Candidate, design)
            : pairs.Count >= Pairs;

    public string ToJson() => JsonSerializer.Serialize(this, Readable) + "\n";

    /// <exception cref="FormatException">The directory holds no such recording.</exception>
    public static async Task<WindowRecording> ReadAsync(PairDirectory directory, CancellationToken cancellationToken)
    {
        var json = await File.ReadAllTextAsync(directory.RecordingPath, cancellationToken).ConfigureAwait(false);
        var read = JsonSerializer.Deserialize<WindowRecording>(json, Readable);
        return read is { Base: not null, Candidate: not null, Profile: not null }
            ? read
            : throw new FormatException($"{directory.RecordingPath}: is not a recording of windows.");
    }
}
