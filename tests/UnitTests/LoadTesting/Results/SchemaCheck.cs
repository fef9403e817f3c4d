namespace UnitTests.LoadTesting.Results;

/// <summary>Checks a document against the keywords that the exported schema uses; a keyword it does not know is a difference.</summary>
internal static class SchemaCheck
{
    private static readonly HashSet<string> Known =
    [
        "$schema", "title", "type", "properties", "required", "additionalProperties", "items", "enum", "pattern", "minimum", "$ref",
    ];

    public static IReadOnlyList<string> Differences(JsonElement value, JsonElement schema, JsonElement root, string place)
    {
        if (schema.ValueKind is JsonValueKind.True)
        {
            return [];
        }

        if (schema.TryGetProperty("$ref", out var reference))
        {
            return Differences(value, Resolve(root, reference.GetString()!), root, place);
        }

        List<string> differences = [.. schema.EnumerateObject().Where(keyword => !Known.Contains(keyword.Name))
            .Select(keyword => $"{place}: keyword {keyword.Name}")];
        if (schema.TryGetProperty("type", out var types) && !Types(types).Any(type => IsOfType(value, type)))
        {
            return [.. differences, $"{place} is a {value.ValueKind}, not {types}"];
        }

        differences.AddRange(Values(value, schema, place));
        differences.AddRange(value.ValueKind switch
        {
            JsonValueKind.Object => Members(value, schema, root, place),
            JsonValueKind.Array when schema.TryGetProperty("items", out var items) =>
                value.EnumerateArray().SelectMany((item, index) => Differences(item, items, root, $"{place}[{index}]")),
            _ => [],
        });
        return differences;
    }

    private static IEnumerable<string> Values(JsonElement value, JsonElement schema, string place)
    {
        if (schema.TryGetProperty("enum", out var allowed)
            && !allowed.EnumerateArray().Any(choice => JsonElement.DeepEquals(choice, value)))
        {
            yield return $"{place} {value} is not one of {allowed}";
        }

        if (value.ValueKind == JsonValueKind.String && schema.TryGetProperty("pattern", out var pattern)
            && !Regex.IsMatch(value.GetString()!, pattern.GetString()!))
        {
            yield return $"{place} '{value}' does not match {pattern}";
        }

        if (value.ValueKind == JsonValueKind.Number && schema.TryGetProperty("minimum", out var minimum)
            && value.GetDouble() < minimum.GetDouble())
        {
            yield return $"{place} {value} is below {minimum}";
        }
    }

    private static IEnumerable<string> Members(JsonElement value, JsonElement schema, JsonElement root, string place)
    {
        var properties = schema.TryGetProperty("properties", out var named) ? named : default;
        var others = schema.TryGetProperty("additionalProperties", out var additional) ? additional : default;
        foreach (var member in value.EnumerateObject())
        {
            if (properties.ValueKind == JsonValueKind.Object && properties.TryGetProperty(member.Name, out var property))
            {
                foreach (var difference in Differences(member.Value, property, root, $"{place}.{member.Name}"))
                {
                    yield return difference;
                }
            }
            else if (others.ValueKind == JsonValueKind.False)
            {
                yield return $"{place}: unknown member {member.Name}";
            }
            else if (others.ValueKind == JsonValueKind.Object)
            {
                foreach (var difference in Differences(member.Value, others, root, $"{place}.{member.Name}"))
                {
                    yield return difference;
                }
            }
        }

        foreach (var required in schema.TryGetProperty("required", out var names) ? names.EnumerateArray().ToArray() : [])
        {
            if (!value.TryGetProperty(required.GetString()!, out _))
            {
                yield return $"{place} lacks {required}";
            }
        }
    }

    private static JsonElement Resolve(
        JsonElement root, string reference) => reference.TrimStart('#').Split('/', StringSplitOptions.RemoveEmptyEntries)
        .Aggregate(
            root, (element, step) => element.ValueKind == JsonValueKind.Array ? element[int.Parse(step)] : element.GetProperty(step));

    private static IEnumerable<string> Types(JsonElement types) =>
        types.ValueKind == JsonValueKind.Array ? types.EnumerateArray().Select(type => type.GetString()!) : [types.GetString()!];

    private static bool IsOfType(JsonElement value, string type) => type switch
    {
        "object" => value.ValueKind == JsonValueKind.Object,
        "array" => value.ValueKind == JsonValueKind.Array,
        "string" => value.ValueKind == JsonValueKind.String,
        "null" => value.ValueKind == JsonValueKind.Null,
        "boolean" => value.ValueKind is JsonValueKind.True or JsonValueKind.False,
        "number" => value.ValueKind == JsonValueKind.Number,
        "integer" => value.ValueKind == JsonValueKind.Number && value.TryGetInt64(out _),
        _ => false,
    };
}
