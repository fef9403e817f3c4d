using System.Text.Json.Serialization;
using Foundation;
using LoadTesting.Core.Analysis.Gating;

namespace LoadTesting.Tool;

/// <summary>How pairs are recorded; kept beside them in <c>recording.json</c>.</summary>
/// <param name="Base">Command of the base side.</param>
/// <param name="Candidate">Command of the candidate side.</param>
/// <param name="Pairs">Valid pairs that are wanted.</param>
/// <param name="Seed">Decides the order of the sides.</param>
/// <param name="Timeout">Longest time of one run.</param>
internal sealed record PairRecording(string Base, string Candidate, int Pairs, int Seed, TimeSpan Timeout)
{
    private static readonly JsonSerializerOptions Readable =
        new(JsonSerializerDefaults.Web) { WriteIndented = true, NewLine = "\n" };

    /// <summary>Most pairs, where they are recorded until it is clear; else null.</summary>
    public int? MaxPairs { get; init; }

    [JsonIgnore]
    public GateDesign Design => GateDesign.Of(MaxPairs);

    /// <summary>The announced number of pairs; vetoed pairs may add to it.</summary>
    [JsonIgnore]
    public string Most => MaxPairs is { } most ? $"at most {most}" : $"{Pairs}";

    /// <summary>How the pairs in a directory were recorded; null where that is not known.</summary>
    public static async Task<PairRecording?> ReadAsync(PairDirectory directory, CancellationToken cancellationToken)
    {
        var file = directory.RecordingPath;
        try
        {
            var text =
                File.Exists(file) ? await File.ReadAllTextAsync(file, cancellationToken).ConfigureAwait(false) : null;
            return text is null ? null : JsonSerializer.Deserialize<PairRecording>(text, Readable);
        }
        catch (JsonException exception)
        {
            throw new FormatException($"{file}: does not say how its pairs were recorded: {UserMessage.Of(exception)}",
                exception);
        }
    }

    public string ToJson() => JsonSerializer.Serialize(this, Readable) + "\n";
}
