namespace Workflow.Bpmn;

/// <summary>
/// The references of a file. By the standard each is a qualified name: a prefix that stands for the namespace of the
/// file means the file itself, one of another namespace means another file, which nothing here reads.
/// </summary>
internal static class BpmnReferences
{
    private const string EventDefinition = "eventDefinitionRef";

    private static readonly HashSet<string> InAttributes =
    [
        "activityRef", "attachedToRef", "calledElement", "default", "errorRef", "escalationRef", "messageRef",
        "operationRef", "signalRef", "sourceRef", "targetRef",
    ];

    private static readonly HashSet<string> InTexts =
    [
        "categoryValueRef", EventDefinition, "incoming", "loopDataInputRef", "loopDataOutputRef", "operationRef",
        "outgoing", "sourceRef",
        "targetRef",
    ];

    /// <summary>
    /// Writes each reference within the file as the id that it means, and event definitions in their places.
    /// </summary>
    public static void Resolve(BpmnElement root, FindingList findings)
    {
        var own = root.Attribute("targetNamespace");
        Dictionary<string, BpmnElement> definitions = new(StringComparer.Ordinal);
        foreach (var definition in root.Children.Where(child => child.Id is not null
            && BpmnRules.IsEventDefinition(child)))
        {
            definitions.TryAdd(definition.Id!, definition);
        }

        var all = root.All.Where(element => element.Namespace == BpmnNamespace.Model).ToList();
        all.ForEach(element => Resolve(element, own));
        Dictionary<BpmnElement, int> sizes = [];
        var elements = 0;
        foreach (var siblings in all.Select(element => element.Children))
        {
            for (var i = 0; i < siblings.Count; i++)
            {
                if (!siblings[i].Is(EventDefinition)
                    || !definitions.TryGetValue(siblings[i].Text.Value, out var definition))
                {
                    continue;
                }

                if (!sizes.TryGetValue(definition, out var size))
                {
                    size = definition.All.Count();
                    sizes.Add(definition, size);
                }

                elements += size;
                if (elements > BpmnXmlReader.MaxElements)
                {
                    findings.Add(siblings[i], $"The file has more than {BpmnXmlReader.MaxElements} elements, with the "
                        + "event definitions that its events refer to. Split it: one process to a file.");
                    return;
                }

                siblings[i] = definition.InPlaceOf(siblings[i]);
            }
        }
    }

    /// <summary>
    /// Why there is nothing of that id: the reference means another file, or else what the caller advises.
    /// </summary>
    public static string Missing(BpmnElement at, string reference, string otherwise) =>
        NamespaceOf(at, reference) is { } other
        ? $"Its prefix stands for '{BpmnExpressions.Shown(other)}', which is another file, and nothing is imported "
            + "from others. Declare it "
            + "in this file, whose targetNamespace the prefix has to stand for; or write the id alone."
        : otherwise;

    /// <summary>
    /// What the prefix of a reference stands for; once resolved, another file. Null without a declared prefix.
    /// </summary>
    public static string? NamespaceOf(BpmnElement at, string reference) =>
        reference.IndexOf(':', StringComparison.Ordinal) is > 0 and var colon
            ? at.NamespaceOf(reference[..colon])
            : null;

    private static void Resolve(BpmnElement element, string? own)
    {
        for (var i = 0; i < element.Attributes.Count; i++)
        {
            var attribute = element.Attributes[i];
            if (attribute.Namespace.Length == 0 && InAttributes.Contains(attribute.Name))
            {
                element.Attributes[i] = attribute with { Value = Local(element, attribute.Value, own) };
            }
        }

        if (InTexts.Contains(element.Kind) && element.Children.Count == 0)
        {
            element.Replace(Local(element, element.Text.Value, own));
        }
    }

    // Without a prefix the name is usually in the namespace of the standard, but means the file itself.
    private static string Local(BpmnElement element, string reference, string? own)
    {
        var name = reference.Trim();
        var isOwn = NamespaceOf(element, name) is { } space
            && (own is null || space == own || space == BpmnNamespace.Model);
        return isOwn ? name[(name.IndexOf(':', StringComparison.Ordinal) + 1)..] : name;
    }
}
