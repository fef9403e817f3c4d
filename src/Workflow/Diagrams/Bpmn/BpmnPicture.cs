using System.Xml;

namespace Workflow.Diagrams.Bpmn;

/// <summary>The picture: a shape for every node, an edge for every flow.</summary>
internal sealed class BpmnPicture(XmlWriter xml, BpmnModel model, DiagramOverlay? overlay)
{
    public void Write()
    {
        Start("BPMNDiagram");
        xml.WriteAttributeString("id", model.Ids.Picture);
        Start("BPMNPlane");
        xml.WriteAttributeString("id", model.Ids.Plane);
        xml.WriteAttributeString("bpmnElement", model.Ids.Process);
        foreach (var node in model.Diagram.Nodes)
        {
            WriteShape(node);
        }

        foreach (var edge in model.Diagram.Edges)
        {
            if (edge.LeavesByBoundary)
            {
                var (middle, radius) = (edge.Boundary, FigureSizes.BoundaryRadius);
                StartElement("BPMNShape", model.Ids.Boundary(edge));
                Bounds(new Box(middle.X - radius, middle.Y - radius, 2 * radius, 2 * radius));
                xml.WriteEndElement();
            }

            WriteEdge(edge);
        }

        xml.WriteEndElement();
        xml.WriteEndElement();
    }

    private void WriteShape(PlacedNode node)
    {
        StartElement("BPMNShape", model.Ids.Node(node.Node.Id));
        if (node.Node.Kind == NodeKind.Decide)
        {
            xml.WriteAttributeString("isMarkerVisible", "true");
        }
        else if (node.Node.Kind == NodeKind.SubProcess)
        {
            xml.WriteAttributeString("isExpanded", "true");
        }

        if (overlay?.StateOf(node.Node.Id) is { } state and not NodeState.None)
        {
            xml.WriteAttributeString("background-color", BpmnXml.Color, Palette.Light.States[state].Fill);
            xml.WriteAttributeString("border-color", BpmnXml.Color, Palette.Light.States[state].Line);
        }

        Bounds(node.Shape);
        if (node.Figure.TextBeside && node.Figure.Text.Lines.Count > 0)
        {
            Label(node.Text);
        }

        xml.WriteEndElement();
    }

    private void WriteEdge(PlacedEdge edge)
    {
        StartElement("BPMNEdge", model.Ids.Flow(edge));
        foreach (var point in edge.Points)
        {
            xml.WriteStartElement("waypoint", BpmnXml.Interchange);
            xml.WriteAttributeString("x", N(point.X));
            xml.WriteAttributeString("y", N(point.Y));
            xml.WriteEndElement();
        }

        if (edge.Label is not null)
        {
            Label(edge.LabelBox);
        }

        xml.WriteEndElement();
    }

    private void Label(Box box)
    {
        Start("BPMNLabel");
        Bounds(box);
        xml.WriteEndElement();
    }

    private void Bounds(Box box)
    {
        xml.WriteStartElement("Bounds", BpmnXml.Coordinates);
        xml.WriteAttributeString("x", N(box.X));
        xml.WriteAttributeString("y", N(box.Y));
        xml.WriteAttributeString("width", N(box.Width));
        xml.WriteAttributeString("height", N(box.Height));
        xml.WriteEndElement();
    }

    private void StartElement(string name, string element)
    {
        Start(name);
        xml.WriteAttributeString("id", model.Ids.Part(element, "di"));
        xml.WriteAttributeString("bpmnElement", element);
    }

    private void Start(string name) => xml.WriteStartElement(name, BpmnXml.Diagram);

    private static string N(double value) => Math.Round(value, 2).ToString("0.##", CultureInfo.InvariantCulture);
}
