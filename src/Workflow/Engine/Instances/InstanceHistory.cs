using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Workflow.Abstractions;
using Workflow.Contracts.Instances;

namespace Workflow.Engine.Instances;

/// <summary>An instance's history as JSON lines, appended in the store, not held in memory; at most <see cref="MaxLines"/>.</summary>
internal static class InstanceHistory
{
    public const int MaxLines = 1_000;

    public static void Append(LiveInstance instance, DateTimeOffset now, string what, string? step = null, string? detail = null)
    {
        if (instance.HistoryLines >= MaxLines)
        {
            if (instance.HistoryLines++ == MaxLines)
            {
                Write(instance.History, now, "truncated", step, null);
            }

            return;
        }

        instance.HistoryLines++;
        Write(instance.History, now, what, step, detail);
    }

    public static IReadOnlyList<HistoryEntry> Parse(string lines) =>
        [.. lines.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(ParseLine)];

    private static void Write(StringBuilder target, DateTimeOffset now, string what, string? step, string? detail)
    {
        target.Append(CultureInfo.InvariantCulture, $"{{\"t\":{now.UtcTicks},\"e\":\"{what}\"");
        if (step is not null)
        {
            target.Append(",\"s\":\"").Append(JavaScriptEncoder.Default.Encode(step)).Append('"');
        }

        if (detail is not null)
        {
            target.Append(",\"d\":\"").Append(JavaScriptEncoder.Default.Encode(StoreLimits.Message(detail))).Append('"');
        }

        target.Append("}\n");
    }

    private static HistoryEntry ParseLine(string line)
    {
        using var document = JsonDocument.Parse(line);
        var root = document.RootElement;
        return new(
            new DateTimeOffset(root.GetProperty("t").GetInt64(), TimeSpan.Zero),
            root.GetProperty("e").GetString()!,
            Optional(root, "s"),
            Optional(root, "d"));
    }

    private static string? Optional(JsonElement root, string name) => root.TryGetProperty(name, out var value) ? value.GetString() : null;
}
