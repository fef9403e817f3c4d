using System.Text.Encodings.Web;

namespace Workflow.Engine.Instances;

/// <summary>
/// The history of an instance as JSON lines, at most <see cref="MaxLines"/>. The store appends the lines; memory does
/// not hold them. Only the first <see cref="MaxStepLines"/> lines include steps that do not wait, so that a loop of
/// such steps leaves room for later entries.
/// </summary>
internal static class InstanceHistory
{
    public const int MaxLines = 1_000;

    /// <summary>The number of the line that says that steps without a wait are no longer written.</summary>
    public const int MaxStepLines = 500;

    /// <summary>Appends a step that continues immediately: set, decide, fork, join, raise.</summary>
    public static void AppendStep(
        LiveInstance instance, DateTimeOffset now, string what, string step, string? detail = null)
    {
        EndSteps(instance, now, step);
        if (instance.HistoryLines < MaxStepLines)
        {
            instance.HistoryLines++;
            Write(instance.History, now, what, step, detail);
        }
    }

    public static void Append(
        LiveInstance instance, DateTimeOffset now, string what, string? step = null, string? detail = null)
    {
        EndSteps(instance, now, step);
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

    private static void EndSteps(LiveInstance instance, DateTimeOffset now, string? step)
    {
        if (instance.HistoryLines == MaxStepLines - 1)
        {
            instance.HistoryLines++;
            Write(instance.History, now, "stepsTruncated", step, null);
        }
    }

    private static void Write(StringBuilder target, DateTimeOffset now, string what, string? step, string? detail)
    {
        target.Append("{\"t\":").Append(now.UtcTicks).Append(",\"e\":\"").Append(what).Append('"');
        if (step is not null)
        {
            target.Append(",\"s\":\"").Append(JavaScriptEncoder.Default.Encode(step)).Append('"');
        }

        if (detail is not null)
        {
            var text = JavaScriptEncoder.Default.Encode(StoreLimits.Message(detail));
            target.Append(",\"d\":\"").Append(text).Append('"');
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

    private static string? Optional(JsonElement root, string name) =>
        root.TryGetProperty(name, out var value) ? value.GetString() : null;
}
