namespace Workflow.Bpmn;

/// <summary>The calls for several elements that our own renderer has exported.</summary>
internal static class ElementLoop
{
    public const string Kind = "multiInstanceLoopCharacteristics";

    /// <summary>What the file says counts: how many, whether one after the other, and until when.</summary>
    public static void Read(JsonObject step, JsonObject exported, BpmnElement loop)
    {
        step["type"] = "callEach";
        if (loop.Flag("isSequential"))
        {
            step["maxConcurrency"] = 1;
        }
        else if (exported["maxConcurrency"]?.ToJsonString() == "1")
        {
            exported.Remove("maxConcurrency");
        }

        if (TextOf(loop, "loopCardinality") is { } count)
        {
            exported.Remove("items");
            exported.Remove("item");
            var given = ExportedStep.Unchanged(exported, "count", count);
            step["count"] = given is JsonValue
                && int.TryParse(count, NumberStyles.None, CultureInfo.InvariantCulture, out var number)
                ? number : given;
        }

        if (TextOf(loop, "completionCondition") is { } condition)
        {
            step["completionCondition"] = condition;
        }
        else
        {
            exported.Remove("completionCondition");
        }

        ExportedStep.Overlay(step, exported);
    }

    private static string? TextOf(BpmnElement loop, string part) =>
        loop.Children.Find(child => child.Is(part))?.Text.Value;
}
