using System.Xml;

namespace Workflow.Diagrams.Svg;

/// <summary>
/// Draws a placed graph as SVG 1.1: light or dark as the reader's system is, no script, nothing from elsewhere; as an
/// image with a title and a description of every step, for a reader who does not see it.
/// </summary>
public static class SvgRenderer
{
    private const string Namespace = "http://www.w3.org/2000/svg";
    private const double CaptionHeight = 60;

    /// <param name="overlay">What an instance has done; null draws the definition alone.</param>
    public static string Render(PlacedDiagram diagram, DiagramOverlay? overlay = null)
    {
        var text = new StringBuilder();
        var settings = new XmlWriterSettings { OmitXmlDeclaration = true, Indent = true, NewLineChars = "\n" };
        using (var xml = XmlWriter.Create(text, settings))
        {
            new SvgPicture(xml, diagram, overlay).Write();
        }

        return text.Append('\n').ToString();
    }

    private sealed class SvgPicture(XmlWriter xml, PlacedDiagram diagram, DiagramOverlay? overlay)
    {
        private readonly string _caption = overlay is null ? "" : TextMeasure.Plain(overlay.Caption);

        public void Write()
        {
            var graph = diagram.Graph;
            var width = overlay is null
                ? diagram.Width
                : Math.Max(diagram.Width, Math.Max(TextMeasure.Width(_caption, 12), SvgLegend.Width) + 48);
            var height = diagram.Height + (overlay is null ? 0 : CaptionHeight);
            xml.WriteStartElement("svg", Namespace);
            Attributes(
                ("width", N(width)), ("height", N(height)), ("viewBox", $"0 0 {N(width)} {N(height)}"), ("role", "img"),
                ("aria-labelledby", "diagram-title diagram-description"), ("style", "max-width:100%;height:auto"));
            Element("title", graph.Name + ", version " + graph.Version.ToString(CultureInfo.InvariantCulture),
                ("id", "diagram-title"));
            Element("desc", SvgDescription.Of(graph, overlay), ("id", "diagram-description"));
            Element("style", SvgStyle.Sheet);
            Arrow("arrow", "tip");
            Arrow("arrow-taken", "tip-taken");
            Element("rect", null, ("class", "page"), ("width", N(width)), ("height", N(height)));

            // Frames lie below what is inside of them.
            foreach (var frame in diagram.Nodes.Where(node => node.Figure.Outline == Outline.Frame))
            {
                WriteNode(frame);
            }

            foreach (var edge in diagram.Edges.OrderBy(IsTaken))
            {
                WriteEdge(edge);
            }

            foreach (var node in diagram.Nodes.Where(node => node.Figure.Outline != Outline.Frame))
            {
                WriteNode(node);
            }

            foreach (var edge in diagram.Edges.Where(edge => edge.LeavesByBoundary))
            {
                Start("g", ("transform", $"translate({N(edge.Boundary.X)} {N(edge.Boundary.Y)})"));
                (string Name, string Value) radius = ("r", N(FigureSizes.BoundaryRadius));
                (string Name, string Value)[] circle = edge.Edge.Kind.IsSide()
                    ? [("class", "boundary"), radius, ("stroke-dasharray", "3 2")] : [("class", "boundary"), radius];
                Element("circle", null, circle);
                var icon = edge.Edge.Kind switch
                {
                    var kind when kind.IsTimer() => SvgIcons.SmallClock,
                    var kind when kind.IsSignal() => SvgIcons.SmallEnvelope,
                    _ => SvgIcons.SmallFlash,
                };
                Element("path", null, ("class", "icon"), ("d", icon));
                xml.WriteEndElement();
            }

            if (overlay is not null)
            {
                WriteLegend();
            }

            xml.WriteEndElement();
        }

        private bool IsTaken(PlacedEdge edge) => overlay?.Taken.Contains(edge.Edge.Id) == true;

        private void Arrow(string id, string style)
        {
            Start("marker", ("id", id), ("viewBox", "0 0 8 8"), ("refX", "7.5"), ("refY", "4"), ("markerWidth", "8"),
                ("markerHeight", "8"),
                ("markerUnits", "userSpaceOnUse"), ("orient", "auto"));
            Element("path", null, ("class", style), ("d", "M0 0.5L8 4L0 7.5z"));
            xml.WriteEndElement();
        }

        private void WriteEdge(PlacedEdge edge)
        {
            var (style, arrow) = IsTaken(edge) ? ("edge taken", "arrow-taken") : ("edge", "arrow");
            Element("path", null, ("class", edge.LeavesByBoundary ? $"{style} exception" : style),
                ("d", Rounded(edge.Points)),
                ("marker-end", $"url(#{arrow})"));
            if (edge.Label is { } label)
            {
                WriteText(label, edge.LabelBox, "label", centred: false);
            }
        }

        // Corners are rounded as far as the shorter of the two lines allows.
        private static string Rounded(IReadOnlyList<Place> points)
        {
            var path = new StringBuilder($"M{N(points[0].X)} {N(points[0].Y)}");
            for (var i = 1; i < points.Count - 1; i++)
            {
                var (before, corner, after) = (points[i - 1], points[i], points[i + 1]);
                var radius = Math.Min(5, Math.Min(Length(before, corner), Length(corner, after)) / 2);
                var (start, end) = (Toward(corner, before, radius), Toward(corner, after, radius));
                path.Append(CultureInfo.InvariantCulture,
                    $"L{N(start.X)} {N(start.Y)}Q{N(corner.X)} {N(corner.Y)} {N(end.X)} {N(end.Y)}");
            }

            return path.Append(CultureInfo.InvariantCulture, $"L{N(points[^1].X)} {N(points[^1].Y)}").ToString();
        }

        private static double Length(Place one, Place other) => Math.Sqrt(
            ((one.X - other.X) * (one.X - other.X)) + ((one.Y - other.Y) * (one.Y - other.Y)));

        private static Place Toward(Place from, Place to, double distance)
        {
            var part = distance == 0 ? 0 : distance / Length(from, to);
            return new(from.X + ((to.X - from.X) * part), from.Y + ((to.Y - from.Y) * part));
        }

        private void WriteNode(PlacedNode node)
        {
            var state = overlay?.StateOf(node.Node.Id) ?? NodeState.None;
            Start("g", ("class", $"node {SvgStyle.Name(state)}"));
            Element("title", TextMeasure.Plain(node.Node.Description) + SvgDescription.State(overlay, node.Node.Id));
            WriteShape(node);
            WriteText(node.Figure.Text, node.Text, null, node.IsCentred);
            if (state != NodeState.None)
            {
                var (x, y) = node.Figure.TextBeside
                    ? (node.Shape.Middle.X - 14, node.Shape.Middle.Y - 14)
                    : (node.Shape.X + 3, node.Shape.Y + 3);
                WriteMark(x, y, state, overlay!.CountsOf(node.Node.Id).Total);
            }

            xml.WriteEndElement();
        }

        private void WriteShape(PlacedNode node)
        {
            var (shape, kind) = (node.Shape, node.Node.Kind);
            var ends = kind is NodeKind.End or NodeKind.Terminate or NodeKind.Fail;
            switch (node.Figure.Outline)
            {
                case Outline.Box or Outline.Frame:
                    Element("rect", null, ("class", "shape"), ("x", N(shape.X)), ("y", N(shape.Y)),
                        ("width", N(shape.Width)),
                        ("height", N(shape.Height)), ("rx", "7"));
                    break;
                case Outline.Circle:
                    Element("circle", null, ("class", ends ? "shape last" : "shape"), ("cx", N(shape.Middle.X)),
                        ("cy", N(shape.Middle.Y)),
                        ("r", N(shape.Width / 2)));
                    break;
                default:
                    var tip = shape.Height / 2;
                    var flat = shape.Width - shape.Height;
                    Element("path", null, ("class", "shape"), ("d", $"M{N(shape.X)} {N(shape.Y + tip)}l{N(tip)} "
                        + $"{N(-tip)}h{N(flat)}l{N(tip)} {N(tip)}l{N(-tip)} {N(tip)}h{N(-flat)}z"));
                    break;
            }

            if (SvgIcons.Of(kind) is { } icon)
            {
                Element("path", null, ("class", SvgIcons.IsSolid(kind) ? "icon solid" : "icon"), ("d", icon),
                    ("transform", $"translate({N(node.Icon.X)} {N(node.Icon.Y)})"));
            }
        }

        // Each line is forced to the width that was measured, so that no font changes what fits.
        private void WriteText(TextBlock block, Box box, string? style, bool centred)
        {
            var y = box.Y;
            foreach (var line in block.Lines)
            {
                var height = TextBlock.HeightOf(line);
                var x = centred ? box.X + ((box.Width - line.Width) / 2) : box.X;
                Element("text", line.Text,
                    ("class", style ?? (line.FontSize < FigureSizes.FontSize ? "detail" : "name")), ("x", N(x)),
                    ("y", N(y + (height * 0.78))), ("textLength", N(line.Width)), ("lengthAdjust", "spacingAndGlyphs"));
                y += height;
            }
        }

        private void WriteMark(double x, double y, NodeState state, int count)
        {
            Start("g", ("class", $"mark {SvgStyle.Name(state)}"), ("transform", $"translate({N(x)} {N(y)})"));
            if (count == 0)
            {
                Element("circle", null, ("r", "8"));
                Element("path", null, ("d", SvgIcons.Mark(state)));
            }
            else
            {
                var text = count.ToString("N0", CultureInfo.InvariantCulture);
                var width = TextMeasure.Width(text, 11);
                Element("rect", null, ("x", "-8"), ("y", "-8"), ("width", N(width + 10)), ("height", "16"),
                    ("rx", "8"));
                Element("text", text, ("x", "-3"), ("y", "4"), ("textLength", N(width)),
                    ("lengthAdjust", "spacingAndGlyphs"));
            }

            xml.WriteEndElement();
        }

        private void WriteLegend()
        {
            var y = diagram.Height + 8;
            Element("text", _caption, ("class", "caption"), ("x", "24"), ("y", N(y)),
                ("textLength", N(TextMeasure.Width(_caption, 12))),
                ("lengthAdjust", "spacingAndGlyphs"));
            var x = 32.0;
            foreach (var state in SvgLegend.States)
            {
                var name = SvgStyle.Word(state);
                WriteMark(x, y + 24, state, 0);
                Element("text", name, ("class", "caption"), ("x", N(x + 14)), ("y", N(y + 28)),
                    ("textLength", N(TextMeasure.Width(name, 12))), ("lengthAdjust", "spacingAndGlyphs"));
                x += SvgLegend.Step(state);
            }
        }

        private void Start(string name, params ReadOnlySpan<(string Name, string Value)> attributes)
        {
            xml.WriteStartElement(name, Namespace);
            Attributes(attributes);
        }

        private void Element(string name, string? text, params ReadOnlySpan<(string Name, string Value)> attributes)
        {
            Start(name, attributes);
            if (text is not null)
            {
                xml.WriteString(text);
            }

            xml.WriteEndElement();
        }

        private void Attributes(params ReadOnlySpan<(string Name, string Value)> attributes)
        {
            foreach (var (name, value) in attributes)
            {
                xml.WriteAttributeString(name, value);
            }
        }

        private static string N(double value) => Math.Round(value, 2).ToString("0.##", CultureInfo.InvariantCulture);
    }
}

/// <summary>Where the legend's marks and words stand.</summary>
internal static class SvgLegend
{
    public static readonly NodeState[] States =
        [NodeState.Done, NodeState.Active, NodeState.Waiting, NodeState.Failed, NodeState.TimedOut,
            NodeState.Cancelled];

    public static double Width => States.Sum(Step);
    public static double Step(NodeState state) => TextMeasure.Width(SvgStyle.Word(state), 12) + 40;
}
