using Foundation;

namespace LoadTesting.Core.Analysis.Gating;

/// <summary>The JSON form of a <see cref="GateResult"/>: as results are written.</summary>
public static class GateJson
{
    private static readonly JsonSerializerOptions Options = ResultJson.CreateOptions(JsonUnmappedMemberHandling.Skip);

    public static string Write(GateResult result) => JsonSerializer.Serialize(result, Options) + "\n";

    /// <exception cref="FormatException">The file is not a gate decision, or has another major version; the message
    /// begins with the path.</exception>
    public static async Task<GateResult> ReadFileAsync(string path, CancellationToken cancellationToken = default)
    {
        var json = await File.ReadAllTextAsync(path, cancellationToken).ConfigureAwait(false);
        try
        {
            var result = JsonSerializer.Deserialize<GateResult>(json, Options);
            return result?.SchemaVersion.Split('.')[0] == GateResult.CurrentSchemaVersion.Split('.')[0]
                ? result
                : throw new FormatException(
                    $"{path}: schemaVersion is {result?.SchemaVersion ?? "missing"}; "
                        + $"this code reads {GateResult.CurrentSchemaVersion}.");
        }
        catch (JsonException exception)
        {
            throw new FormatException($"{path}: is not a gate.json: {UserMessage.Of(exception)} Gate the "
                + "recorded pairs again to get one.", exception);
        }
    }
}
