using System.Text.Json.Nodes;
using System.Text.Json.Schema;

namespace LoadTesting.Core.Results;

/// <summary>
/// JSON Schema (draft 2020-12) of what <see cref="ResultJson"/> writes: every member is required, because every member
/// is written, and no other is allowed. It is exported from the records, so the two cannot drift apart.
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
