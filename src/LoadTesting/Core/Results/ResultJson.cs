using System.Text.Encodings.Web;
using System.Text.Json.Serialization.Metadata;
using Foundation;

namespace LoadTesting.Core.Results;

/// <summary>
/// The JSON form of a <see cref="RunResult"/>: camel case, indented, every member written, null if there is nothing.
/// Reading ignores members it does not know, so that a newer minor version can still be compared.
/// </summary>
public static class ResultJson
{
    private static readonly JsonSerializerOptions Written = CreateOptions(JsonUnmappedMemberHandling.Skip);

    public static string Write(RunResult run) => JsonSerializer.Serialize(run, Written) + "\n";

    /// <param name="json">The text.</param>
    /// <exception cref="FormatException">It is not JSON, lacks a required member, is of another major version, or
    /// contradicts itself.</exception>
    public static RunResult Read(string json)
    {
        try
        {
            using (var document = JsonDocument.Parse(json))
            {
                RequireVersion(document.RootElement);
                RequireElements(document.RootElement, "");
            }

            var run = JsonSerializer.Deserialize<RunResult>(json, Written)
                ?? throw new FormatException("The document is null, not a run.");
            var contradictions = run.Scenarios.SelectMany(ResultContradictions.Of)
                .Concat(run.Capacity.SelectMany(ResultContradictions.Of));
            return contradictions.FirstOrDefault() is { } contradiction
                ? throw new FormatException(contradiction + " No run writes that; measure it again.")
                : run;
        }
        catch (JsonException exception)
        {
            throw new FormatException(
                $"The document is not a run of schema {RunResult.CurrentSchemaVersion}: {UserMessage.Of(exception)} " +
                "Compare it with fixtures/schema/run.schema.json.", exception);
        }
    }

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
            // Of two values of one name a reader would believe the last.
            AllowDuplicateProperties = false,
            UnmappedMemberHandling = unmapped,
            Converters = { new JsonStringEnumConverter(JsonNamingPolicy.CamelCase, allowIntegerValues: false) },
            TypeInfoResolver = new DefaultJsonTypeInfoResolver(),
        };
        options.MakeReadOnly();
        return options;
    }

    /// <summary>No list of a run has an element that is null, which the serializer would let through.</summary>
    private static void RequireElements(JsonElement node, string path)
    {
        if (node.ValueKind == JsonValueKind.Array)
        {
            foreach (var (place, element) in node.EnumerateArray().Index())
            {
                if (element.ValueKind == JsonValueKind.Null)
                {
                    throw new FormatException($"{path}[{place}] is null. No run writes that; measure it again.");
                }

                RequireElements(element, $"{path}[{place}]");
            }
        }
        else if (node.ValueKind == JsonValueKind.Object)
        {
            foreach (var member in node.EnumerateObject())
            {
                RequireElements(member.Value, path.Length == 0 ? member.Name : $"{path}.{member.Name}");
            }
        }
    }

    private static void RequireVersion(JsonElement root)
    {
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
