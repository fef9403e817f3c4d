using System.Text.Encodings.Web;
using System.Text.Json.Nodes;
using System.Text.Json.Schema;
using System.Text.Json.Serialization.Metadata;

namespace LoadTesting.Core.Results;

/// <summary>
/// The JSON form of a <see cref="RunResult"/>: camel case, indented, every member written, null where there is nothing. Reading ignores
/// members it does not know, so that a newer minor version can still be compared.
/// </summary>
public static class ResultJson
{
    private static readonly JsonSerializerOptions Written = CreateOptions(JsonUnmappedMemberHandling.Skip);

    public static string Write(RunResult run)
    {
        ArgumentNullException.ThrowIfNull(run);
        return JsonSerializer.Serialize(run, Written) + "\n";
    }

    /// <param name="json">The text.</param>
    /// <exception cref="FormatException">It is not JSON, lacks a required member, is of another major version, or contradicts
    /// itself.</exception>
    public static RunResult Read(string json)
    {
        ArgumentNullException.ThrowIfNull(json);
        try
        {
            using (var document = JsonDocument.Parse(json))
            {
                RequireVersion(document.RootElement);
                RequireElements(document.RootElement, "");
            }

            var run = JsonSerializer.Deserialize<RunResult>(json, Written)
                ?? throw new FormatException("The document is null, not a run.");
            var contradictions = run.Scenarios.SelectMany(ResultContradictions.Of).Concat(run.Capacity.SelectMany(ResultContradictions.Of));
            return contradictions.FirstOrDefault() is { } contradiction
                ? throw new FormatException(contradiction + " No run writes that; measure it again.")
                : run;
        }
        catch (JsonException exception)
        {
            throw new FormatException(
                $"The document is not a run of schema {RunResult.CurrentSchemaVersion}: {exception.Message} " +
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

/// <summary>What a result cannot say of itself, whoever wrote it.</summary>
internal static class ResultContradictions
{
    /// <summary>Sums of a few counts beyond this overflow, and JSON's readers take them for others.</summary>
    private const long GreatestCount = 1L << 53;

    /// <summary>A sentence each; empty for what a run writes.</summary>
    public static IEnumerable<string> Of(ScenarioResult scenario)
    {
        string[] counts =
        [
            .. Uncountable("operations", scenario.Operations), .. Uncountable("latency.n", scenario.Latency.N),
            .. (scenario.Ledger?.Counts() ?? []).SelectMany(count => Uncountable($"ledger.{count.Key}", count.Value)),
        ];
        if (counts.Length > 0)
        {
            return counts.Select(contradiction => $"{scenario.Name}: {contradiction}");
        }

        var ledger = scenario.Verdict.Outcome == VerdictOutcome.Passed ? scenario.Ledger?.Violations() ?? [] : [];
        string[] found =
        [
            .. scenario is { Partial: { } partial, Verdict.Outcome: VerdictOutcome.Passed }
                ? [$"verdict.outcome is 'passed' and partial is '{partial}'."]
                : Array.Empty<string>(),
            .. scenario is { Part: { } part, Verdict.Outcome: VerdictOutcome.Passed }
                ? [$"verdict.outcome is 'passed', and it is {part} of a load."]
                : Array.Empty<string>(),
            .. ledger.Select(violation => $"verdict.outcome is 'passed' and the ledger is not: {violation}."),
            .. Impossible("operations", scenario.Operations), .. Impossible("durationMs", scenario.DurationMs),
            .. Impossible("throughputPerSecond", scenario.ThroughputPerSecond),
            .. (scenario.Backend?.PerOperation ?? new Dictionary<string, double?>())
                .SelectMany(counter => Impossible($"backend.perOperation.{counter.Key}", counter.Value)),
            .. Of("latency", scenario.Latency),
            .. scenario.Phases.SelectMany(phase => Of($"phases.{phase.Key}", phase.Value)),
        ];
        return found.Select(contradiction => $"{scenario.Name}: {contradiction}");
    }

    /// <inheritdoc cref="Of(ScenarioResult)"/>
    public static IEnumerable<string> Of(CapacityResult capacity)
    {
        (string Name, double? Value)[] figures =
        [
            ("limitPerSecond", capacity.LimitPerSecond), ("bracket.low", capacity.Bracket?.Low), ("bracket.high", capacity.Bracket?.High),
        ];
        string[] found =
        [
            .. figures.Where(figure => figure.Value is not (null or (> 0 and < double.PositiveInfinity)))
                .Select(figure => $"{figure.Name} is {figure.Value}, which no search finds."),
            .. capacity.Bracket is { } bracket && bracket.Low > bracket.High
                ? [$"bracket is from {bracket.Low} to {bracket.High}."]
                : Array.Empty<string>(),
        ];
        return found.Select(contradiction => $"{capacity.Name}: {contradiction}");
    }

    private static IEnumerable<string> Of(string name, LatencyResult? latency)
    {
        if (latency is null)
        {
            return [$"{name} is null."];
        }

        double?[] ascending = [latency.P50Ms, latency.P95Ms, latency.P99Ms, latency.MaxMs];
        var known = ascending.OfType<double>().ToList();
        var kept = latency.Histogram is { } text ? LatencyHistogram.Parse(text).Count : latency.N;
        return
        [
            .. Impossible($"{name}.n", latency.N), .. known.Append(latency.AverageMs ?? 0).SelectMany(value => Impossible(name, value)),
            .. known.SequenceEqual(known.Order()) ? [] : new[] { $"{name} has percentiles that fall: {string.Join(", ", known)} ms." },
            .. kept == latency.N ? [] : new[] { $"{name}.n is {latency.N}, and its histogram holds {kept}." },
        ];
    }

    private static IEnumerable<string> Uncountable(string name, long count) =>
        count <= GreatestCount ? [] : [$"{name} is {count}, which nothing counts."];

    private static IEnumerable<string> Impossible(string name, double? value) =>
        value is null or (>= 0 and < double.PositiveInfinity) ? [] : [$"{name} is {value}, which nothing measures."];
}

/// <summary>
/// JSON Schema (draft 2020-12) of what <see cref="ResultJson"/> writes: every member is required, because every member is written, and no
/// other is allowed. It is exported from the records, so the two cannot drift apart.
/// </summary>
public static class ResultSchema
{
    public static string Export()
    {
        var options = ResultJson.CreateOptions(JsonUnmappedMemberHandling.Disallow);
        var exported = options.GetJsonSchemaAsNode(typeof(RunResult), new JsonSchemaExporterOptions
        {
            TreatNullObliviousAsNonNullable = true,
            TransformSchemaNode = Tighten,
        }).AsObject();
        var schema = new JsonObject
        {
            ["$schema"] = "https://json-schema.org/draft/2020-12/schema",
            ["title"] = "Result of a performance run, version " + RunResult.CurrentSchemaVersion,
        };
        foreach (var (keyword, value) in exported.ToList())
        {
            schema[keyword] = value?.DeepClone();
        }

        return schema.ToJsonString(options) + "\n";
    }

    private static JsonNode Tighten(JsonSchemaExporterContext context, JsonNode schema)
    {
        if (schema is not JsonObject node)
        {
            return schema;
        }

        if (node["properties"] is JsonObject properties)
        {
            node["required"] = new JsonArray([.. properties.Select(property => (JsonNode)property.Key)]);
        }

        // Validators differ in whether they know "format"; a pattern they all check.
        if (node.Remove("format"))
        {
            node["pattern"] = @"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}";
        }

        Narrow(context, node);
        return node;
    }

    private static void Narrow(JsonSchemaExporterContext context, JsonObject node)
    {
        var declaring = context.PropertyInfo?.DeclaringType;
        var name = context.PropertyInfo?.Name;
        if (declaring == typeof(RunResult) && name == "schemaVersion")
        {
            node["pattern"] = @"^1\.\d+$";
        }
        else if (declaring == typeof(LedgerResult) && context.TypeInfo.Type == typeof(long) || name == "n")
        {
            node["minimum"] = 0;
        }
        else if (declaring == typeof(LatencyResult) && context.TypeInfo.Type == typeof(double?))
        {
            node["minimum"] = 0;
        }
    }
}
