using System.Text.Json.Serialization;

namespace Workflow.Contracts;

/// <summary>
/// How every shape of this assembly is written: camel case, enumerations as camel-case names, absent members left out.
/// </summary>
public static class ContractsJson
{
    /// <summary>The options; read-only, by reflection.</summary>
    public static JsonSerializerOptions Default { get; } = Make();

    /// <summary>Applies the same rules to existing options, e.g. those of a web application.</summary>
    public static void Configure(JsonSerializerOptions options)
    {
        options.PropertyNamingPolicy = JsonNamingPolicy.CamelCase;
        options.PropertyNameCaseInsensitive = false;
        options.NumberHandling = JsonNumberHandling.Strict;
        options.DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull;
        options.Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping;
        options.Converters.Add(new JsonStringEnumConverter(JsonNamingPolicy.CamelCase));
    }

    private static JsonSerializerOptions Make()
    {
        var options = new JsonSerializerOptions(JsonSerializerDefaults.Web);
        Configure(options);
        options.MakeReadOnly(populateMissingResolver: true);
        return options;
    }
}
