namespace Workflow.Bpmn;

/// <summary>The namespaces of the dialects, and what they add to the standard.</summary>
internal static class BpmnNamespace
{
    public const string Model = "http://www.omg.org/spec/BPMN/20100524/MODEL";
    public const string Camunda = "http://camunda.org/schema/1.0/bpmn";
    public const string Zeebe = "http://camunda.org/schema/zeebe/1.0";
    public const string Modeler = "http://camunda.org/schema/modeler/1.0";

    /// <summary>The diagram of a file.</summary>
    public const string Picture = "http://www.omg.org/spec/BPMN/20100524/DI";

    /// <summary>The canonical steps in what our own renderer exports.</summary>
    public const string Step = "urn:workflow:definition";

    private static readonly HashSet<string> Harmless =
    [
        "", Model, Modeler, Step, "http://www.w3.org/2001/XMLSchema-instance", "http://www.w3.org/XML/1998/namespace",
        "http://www.omg.org/spec/BPMN/non-normative/color/1.0", "http://bpmn.io/schema/bpmn/biocolor/1.0",
        "http://www.signavio.com", "http://www.signavio.com/bpmn20",
    ];

    /// <summary>Operaton continues the extensions of Camunda 7 in its own namespace.</summary>
    public static string Known(string name) => name == "http://operaton.org/schema/1.0/bpmn" ? Camunda : name;

    /// <summary>Whether nothing of it can change what an element does.</summary>
    public static bool IsHarmless(string name) => Harmless.Contains(name);
}
