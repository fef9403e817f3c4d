using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;

namespace Workflow.Bpmn;

/// <summary>
/// Where the elements of a process stand in the file's own diagram. A process that is not drawn as a whole has none.
/// </summary>
internal sealed class BpmnLayout
{
    private static readonly HashSet<string> Nodes =
    [
        "task", "userTask", "serviceTask", "sendTask", "receiveTask", "scriptTask", "manualTask", "businessRuleTask",
        "callActivity", "subProcess", "startEvent", "endEvent", "boundaryEvent", "intermediateCatchEvent",
        "intermediateThrowEvent", "exclusiveGateway", "parallelGateway", "inclusiveGateway", "eventBasedGateway",
    ];

    private readonly ILookup<string, BpmnElement> _shapes;
    private readonly ILookup<string, BpmnElement> _edges;

    public BpmnLayout(BpmnElement root)
    {
        // What is inside of a collapsed sub-process is on a plane of its own.
        HashSet<string?> inside =
            [.. root.All.Where(element => element.Is("subProcess")).Select(element => element.Id)];
        var parts = root.Children.Where(child => child.Kind == "BPMNDiagram" && IsOfPicture(child))
            .SelectMany(diagram => diagram.Children.Where(child => child.Kind == "BPMNPlane"))
            .Where(plane => !inside.Contains(ElementOf(plane)))
            .SelectMany(plane => plane.Children).Where(IsOfPicture).ToList();
        _shapes = parts.Where(part => part.Kind == "BPMNShape").ToLookup(ElementOf, StringComparer.Ordinal);
        _edges = parts.Where(part => part.Kind == "BPMNEdge").ToLookup(ElementOf, StringComparer.Ordinal);
    }

    /// <summary>
    /// The layout as a member of the definition; null where the file does not say where everything is.
    /// </summary>
    public JsonObject? Find(BpmnElement process)
    {
        var shapes = new JsonArray();
        var flows = new JsonArray();
        return Add(process, null, shapes, flows) && shapes.Count > 0
            && Math.Max(shapes.Count, flows.Count) <= DefinitionLayout.MaxParts
            && shapes.DistinctBy(shape => shape!["element"]!.ToString()).Count() == shapes.Count
            ? new JsonObject { ["shapes"] = shapes, ["flows"] = flows }
            : null;
    }

    private bool Add(BpmnElement around, string? parent, JsonArray shapes, JsonArray flows)
    {
        foreach (var lane in around.Model("laneSet").SelectMany(set => set.All).Where(part => part.Is("lane")))
        {
            if (lane.Id is { } id && Box(Shape(id)) is { } bounds)
            {
                shapes.Add(Described(new JsonObject { ["element"] = id, ["kind"] = lane.Kind, ["bounds"] = bounds },
                    lane, Shape(id)));
            }
        }

        foreach (var node in around.Children.Where(child => child.Namespace == BpmnNamespace.Model
            && Nodes.Contains(child.Kind)))
        {
            if (node.Id is not { } id || Box(Shape(id)) is not { } bounds)
            {
                return false;
            }

            var isExpanded = node.Is("subProcess") && Shape(id)!.Flag("isExpanded", otherwise: true);
            shapes.Add(Node(node, id, bounds, parent, isExpanded));
            if (isExpanded && !Add(node, id, shapes, flows))
            {
                return false;
            }
        }

        return around.Model("sequenceFlow").All(flow => AddFlow(flow, flows));
    }

    private JsonObject Node(BpmnElement node, string id, JsonArray bounds, string? parent, bool isExpanded)
    {
        var shape = Described(
            new JsonObject { ["element"] = id, ["kind"] = node.Kind, ["bounds"] = bounds }, node, Shape(id));
        if (BpmnRules.EventsOf(node).FirstOrDefault() is { } trigger)
        {
            shape["trigger"] = trigger.Kind.Replace("EventDefinition", "", StringComparison.Ordinal);
        }

        if (parent is not null)
        {
            shape["parent"] = parent;
        }

        if (node.Attribute("attachedToRef") is { } host)
        {
            shape["attachedTo"] = host;
        }

        if (isExpanded)
        {
            shape["expanded"] = true;
        }

        return shape;
    }

    private bool AddFlow(BpmnElement flow, JsonArray flows)
    {
        var edge = _edges[flow.Id ?? ""].FirstOrDefault();
        var numbers = edge?.Children.Where(child => child.Kind == "waypoint")
            .SelectMany(point => new[] { Number(point, "x"), Number(point, "y") }).ToList();
        if (numbers is null || numbers.Count is < 4 or > DefinitionLayout.MaxPoints || numbers.Contains(null))
        {
            return false;
        }

        flows.Add(Described(new JsonObject
        {
            ["from"] = flow.Attribute("sourceRef"), ["to"] = flow.Attribute("targetRef"),
            ["points"] = Array(numbers),
        }, flow, edge));
        return true;
    }

    // What it is called, and where that stands.
    private static JsonObject Described(JsonObject part, BpmnElement element, BpmnElement? drawn)
    {
        if (element.Title?.Trim() is { Length: > 0 } name)
        {
            part["name"] = StoreLimits.Excerpt(name, StoreLimits.MaxTitle - 1);
            if (Box(drawn?.Children.Find(child => child.Kind == "BPMNLabel")) is { } label)
            {
                part["label"] = label;
            }
        }

        return part;
    }

    private BpmnElement? Shape(string id) => _shapes[id].FirstOrDefault();

    private static JsonArray? Box(BpmnElement? owner)
    {
        if (owner?.Children.Find(child => child.Kind == "Bounds") is not { } bounds)
        {
            return null;
        }

        List<double?> numbers =
            [Number(bounds, "x"), Number(bounds, "y"), Number(bounds, "width"), Number(bounds, "height")];
        return numbers.Contains(null) || numbers[2] <= 0 || numbers[3] <= 0 ? null : Array(numbers);
    }

    private static JsonArray Array(List<double?> numbers) =>
        new([.. numbers.Select(number => JsonValue.Create(number))]);

    private static double? Number(BpmnElement element, string name) =>
        double.TryParse(element.Attribute(name), NumberStyles.Float, CultureInfo.InvariantCulture, out var number)
        && Math.Abs(number) <= DefinitionLayout.MaxCoordinate
            ? Math.Round(number, 2)
            : null;

    // A prefix stands for the file itself.
    private static string ElementOf(BpmnElement part) => part.Attribute("bpmnElement")?.Split(':')[^1] ?? "";

    private static bool IsOfPicture(BpmnElement part) => part.Namespace == BpmnNamespace.Picture;
}
