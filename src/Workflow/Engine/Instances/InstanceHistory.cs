using System.Text.Encodings.Web;

namespace Workflow.Engine.Instances;

/// <summary>
/// An instance's history as JSON lines, appended in the store, not held in memory; at most <see cref="MaxLines"/>. A loop of steps that do
/// not wait leaves room for what comes after it: only the first lines hold such steps.
/// </summary>
internal static class InstanceHistory
{
    public const int MaxLines = 1_000;

    /// <summary>The line that says that no more steps are written that go on at once.</summary>
    public const int MaxStepLines = 500;

    /// <summary>A step that goes on at once was executed: set, decide, fork, join, raise.</summary>
    public static void AppendStep(LiveInstance instance, DateTimeOffset now, string what, string step, string? detail = null)
    {
        EndSteps(instance, now, step);
        if (instance.HistoryLines < MaxStepLines)
        {
            instance.HistoryLines++;
            Write(instance.History, now, what, step, detail);
        }
    }

    public static void Append(LiveInstance instance, DateTimeOffset now, string what, string? step = null, string? detail = null)
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

/// <summary>
/// Builders for the histories of open batches. Instances that wait, of which there may be a million, have none, and those that change take
/// one that another has returned. Thread-safe: lanes rent, the committer returns.
/// </summary>
internal static class HistoryBuilders
{
    /// <summary>Characters that the steps of one commit usually write: grown from its default, a builder is five objects.</summary>
    private const int Usual = 128;

    /// <summary>A longer one is not kept, in characters.</summary>
    private const int Longest = 1_024;

    /// <summary>Kept at most: as many as batches in flight usually have instances.</summary>
    private const int Most = 1_024;

    private static readonly ConcurrentQueue<StringBuilder> Returned = new();
    private static int s_count;

    public static StringBuilder Rent()
    {
        if (!Returned.TryDequeue(out var builder))
        {
            return new(Usual);
        }

        Interlocked.Decrement(ref s_count);
        return builder;
    }

    public static void Return(StringBuilder builder)
    {
        if (builder.Capacity > Longest || Volatile.Read(ref s_count) >= Most)
        {
            return;
        }

        builder.Clear();
        Interlocked.Increment(ref s_count);
        Returned.Enqueue(builder);
    }
}
