using System.Xml;
using Workflow.Abstractions.Definitions;

namespace Workflow.Bpmn;

/// <summary>What our own renderer has put into the elements that it exported.</summary>
internal static class ExportedStep
{
    /// <summary>
    /// Types of the canonical steps that are exported and imported, and <c>definition</c> for the process itself.
    /// </summary>
    private static readonly HashSet<string> Types =
    [
        "set", "decide", "fork", "inclusive", "join", "waitSignal", "waitFirst", "delay", "task", "invoke", "call",
        "callEach", "raise", "subProcess", "end", "fail", "definition",
    ];

    /// <summary>Members that the flows and boundary events of the file say.</summary>
    private static readonly HashSet<string> Drawn =
        ["start", "next", "timeout", "onTimeout", "onError", "boundary", "cases", "otherwise", "branches", "join",
            "events", "code"];

    /// <summary>
    /// The canonical step of an exported element, of any type that is imported; null where there is none.
    /// </summary>
    public static JsonObject? Find(BpmnElement element) =>
        Types.Select(type => Of(element, type)).FirstOrDefault(found => found is not null);

    /// <summary>Whether the element has an exported step of a type that is not imported.</summary>
    public static bool IsUnknown(BpmnElement element) => Extension(element) is not null && Find(element) is null;

    /// <summary>The id of the step that the element was exported from; null where there is none.</summary>
    public static string? IdOf(BpmnElement element) => Extension(element)?.Attribute("id");

    /// <summary>
    /// The canonical step that our renderer has put into the element; null where there is none of this type.
    /// </summary>
    public static JsonObject? Of(BpmnElement element, string type)
    {
        if (Extension(element) is not { } step)
        {
            return null;
        }

        try
        {
            return JsonNode.Parse(step.Text.Value) is JsonObject found
                && found["type"]?.GetValueKind() == JsonValueKind.String
                && found["type"]!.GetValue<string>() == type ? found : null;
        }
        catch (Exception e) when (e is JsonException or ArgumentException)
        {
            // Not ours after all: then what the element itself says is everything.
            return null;
        }
    }

    /// <summary>
    /// What BPMN says counts; the canonical step adds what BPMN has no place for. Where it leads to is what the flows
    /// say.
    /// </summary>
    /// <param name="members">Only these; every one where none is named.</param>
    public static void Overlay(JsonObject step, JsonObject exported, params IReadOnlyList<string> members)
    {
        foreach (var (member, value) in exported.Where(given => members.Count == 0 || members.Contains(given.Key)))
        {
            if (!Drawn.Contains(member) && !step.ContainsKey(member))
            {
                step[member] = value?.DeepClone();
            }
        }
    }

    /// <summary>A text of the file; the member that it was exported from, where nobody has changed it.</summary>
    public static JsonNode Unchanged(JsonObject? exported, string member, string text) =>
        exported?[member] is { } value && IsWritten(TemplateText.Of(JsonSerializer.SerializeToElement(value)), text)
            ? value.DeepClone() : BpmnExpressions.Constant(text);

    /// <summary>Whether a script is still the one that these values were exported as.</summary>
    public static bool IsUnchanged(BpmnElement? script, JsonObject values) =>
        IsWritten(TemplateText.Script(JsonSerializer.SerializeToElement(values)), script?.Text.Value ?? "");

    // Ends of lines and characters that XML cannot hold are written as others.
    private static bool IsWritten(string exported, string text) => exported.ReplaceLineEndings("\n") is var written
        && text.ReplaceLineEndings("\n") is var read && written.Length == read.Length
        && written.Zip(read).All(pair => pair.First == pair.Second || !XmlConvert.IsXmlChar(pair.First));

    private static BpmnElement? Extension(BpmnElement element) => element.Extension("step", BpmnNamespace.Step);
}
