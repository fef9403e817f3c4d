using System.Xml;
using Workflow.Abstractions.Definitions;

namespace Workflow.Diagrams.Bpmn;

/// <summary>
/// Writes a definition as BPMN 2.0 XML with its layout (BPMN DI), for editors of BPMN. A timeout or an error is a
/// boundary event. Each element carries its canonical step, so that nothing is lost; the process is not executable,
/// since other engines would run it otherwise.
/// </summary>
public static class BpmnRenderer
{
    /// <summary>The namespace of the canonical steps inside the elements.</summary>
    public const string StepNamespace = "urn:workflow:definition";

    public static string Render(WorkflowDefinition definition, PlacedDiagram diagram, DiagramOverlay? overlay = null)
    {
        using var canonical = JsonDocument.Parse(definition.CanonicalJson);
        var model = new BpmnModel(definition, diagram, canonical.RootElement);
        using var stream = new MemoryStream();
        var settings = new XmlWriterSettings { Encoding = new UTF8Encoding(false), Indent = true, NewLineChars = "\n" };
        using (var xml = XmlWriter.Create(stream, settings))
        {
            xml.WriteStartElement("bpmn", "definitions", BpmnXml.Model);
            xml.WriteAttributeString("xmlns", "bpmndi", null, BpmnXml.Diagram);
            xml.WriteAttributeString("xmlns", "dc", null, BpmnXml.Coordinates);
            xml.WriteAttributeString("xmlns", "di", null, BpmnXml.Interchange);
            xml.WriteAttributeString("xmlns", "xsi", null, BpmnXml.Instance);
            xml.WriteAttributeString("xmlns", "workflow", null, StepNamespace);
            xml.WriteAttributeString("xmlns", "color", null, BpmnXml.Color);
            xml.WriteAttributeString("id", model.Ids.Definitions);
            xml.WriteAttributeString("targetNamespace", StepNamespace);
            new BpmnProcess(xml, model).Write();
            new BpmnPicture(xml, model, overlay).Write();
            xml.WriteEndElement();
        }

        return Encoding.UTF8.GetString(stream.ToArray()) + "\n";
    }
}
