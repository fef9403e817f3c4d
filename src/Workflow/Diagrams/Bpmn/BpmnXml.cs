namespace Workflow.Diagrams.Bpmn;

internal static class BpmnXml
{
    public const string Model = "http://www.omg.org/spec/BPMN/20100524/MODEL";
    public const string Diagram = "http://www.omg.org/spec/BPMN/20100524/DI";
    public const string Coordinates = "http://www.omg.org/spec/DD/20100524/DC";
    public const string Interchange = "http://www.omg.org/spec/DD/20100524/DI";
    public const string Instance = "http://www.w3.org/2001/XMLSchema-instance";
    public const string Color = "http://www.omg.org/spec/BPMN/non-normative/color/1.0";
}
