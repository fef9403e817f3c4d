namespace Workflow.Bpmn;

/// <summary>The activities of a process that have several instances.</summary>
/// <param name="name">The name of the definition that they become steps of.</param>
internal sealed class BpmnLoops(
    BpmnFile file, BpmnElement process, string name, BpmnExpressions expressions, FindingList findings)
{
    private readonly List<LoopedElement> _activities = [];

    public IReadOnlyList<LoopedElement> Activities => _activities;

    /// <returns>False where the element has one instance, or is refused elsewhere.</returns>
    public bool Read(FlowNode node, BpmnElement element)
    {
        if (!Reads(element))
        {
            return false;
        }

        var loop = element.Children.Find(part => part.Is(ElementLoop.Kind))!;
        LoopedElement activity = element.Kind is "subProcess" or "scriptTask" or "receiveTask"
            ? new LoopedScope(file, process, $"{name}_{node.Key}", expressions, node, loop, findings)
            : new LoopedActivity(file, process, $"{name}_{node.Key}", expressions, node, loop, findings);
        _activities.Add(activity);
        if (file.Processes.Any(other => other.Id == activity.Name))
        {
            findings.Add(element, $"What each of its instances does would be the definition '{activity.Name}', which "
                + "is also a process of the file. Give one of them another id.");
        }

        return true;
    }

    /// <summary>Whether it has several instances that are imported.</summary>
    public static bool Reads(BpmnElement element) =>
        element.Children.Exists(part => part.Is(ElementLoop.Kind)) && Covers(element)
        && ExportedStep.Find(element) is null;

    /// <summary>Whether several instances of such an element are imported.</summary>
    public static bool Covers(BpmnElement element) => ExportedStep.Find(element) is null
        ? element.Kind is "callActivity" or "serviceTask" or "sendTask" or "userTask" or "scriptTask" or "receiveTask"
            || (element.Is("subProcess") && !BpmnRules.IsEventSubProcess(element))
        : ExportedStep.Of(element, "callEach") is not null;
}
