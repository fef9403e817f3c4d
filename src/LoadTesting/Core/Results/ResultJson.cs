using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace LoadTesting.Core.Results;

/// <summary>
/// The JSON form of a <see cref="RunResult"/>: camel case, indented, every member written, null where there is nothing. Reading ignores
/// members it does not know, so that a newer minor version can still be compared.
/// </summary>
public static class ResultJson
{
    private static readonly JsonSerializerOptions Written = CreateOptions(JsonUnmappedMemberHandling.Skip);

    /// <summary>The document as text, with a final newline.</summary>
    public static string Write(RunResult run)
    {
        ArgumentNullException.ThrowIfNull(run);
        return JsonSerializer.Serialize(run, Written) + "\n";
    }

    /// <summary>Reads a document.</summary>
    /// <param name="json">The text.</param>
    /// <exception cref="FormatException">It is not JSON, lacks a required member, or is of another major version.</exception>
    public static RunResult Read(string json)
    {
        ArgumentNullException.ThrowIfNull(json);
        try
        {
            RequireVersion(json);
            return JsonSerializer.Deserialize<RunResult>(json, Written) ?? throw new FormatException("The document is null, not a run.");
        }
        catch (JsonException exception)
        {
            throw new FormatException(
                $"The document is not a run of schema {RunResult.CurrentSchemaVersion}: {exception.Message} " +
                "Compare it with fixtures/schema/run.schema.json.", exception);
        }
    }

    /// <summary>Reads a document from a file.</summary>
    /// <exception cref="FormatException">As for <see cref="Read"/>; the message begins with the path.</exception>
    public static async Task<RunResult> ReadFileAsync(string path, CancellationToken cancellationToken = default)
    {
        var json = await File.ReadAllTextAsync(path, cancellationToken).ConfigureAwait(false);
        try
        {
            return Read(json);
        }
        catch (FormatException exception)
        {
            throw new FormatException($"{path}: {exception.Message}", exception);
        }
    }

    internal static JsonSerializerOptions CreateOptions(JsonUnmappedMemberHandling unmapped)
    {
        var options = new JsonSerializerOptions
        {
            PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
            WriteIndented = true,
            NewLine = "\n",
            // Files, not pages: the report escapes for HTML itself, and names stay readable here.
            Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
            RespectNullableAnnotations = true,
            UnmappedMemberHandling = unmapped,
            Converters = { new JsonStringEnumConverter(JsonNamingPolicy.CamelCase, allowIntegerValues: false) },
            TypeInfoResolver = new DefaultJsonTypeInfoResolver(),
        };
        options.MakeReadOnly();
        return options;
    }

    private static void RequireVersion(string json)
    {
        using var document = JsonDocument.Parse(json);
        var root = document.RootElement;
        var version = root.ValueKind == JsonValueKind.Object && root.TryGetProperty("schemaVersion", out var member)
            && member.ValueKind == JsonValueKind.String ? member.GetString()! : null;
        var major = RunResult.CurrentSchemaVersion.Split('.')[0];
        if (version?.Split('.')[0] != major)
        {
            throw new FormatException(
                $"The document's schemaVersion is {version ?? "missing"}; this code reads {major}.x. " +
                "Use the version of the tools that wrote it, or run again.");
        }
    }
}
