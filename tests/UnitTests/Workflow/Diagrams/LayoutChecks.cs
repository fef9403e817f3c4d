using Workflow.Diagrams.Layout;

namespace UnitTests.Workflow.Diagrams;

/// <summary>Invariants of every placed graph, and their measurement.</summary>
internal static class LayoutChecks
{
    private const double Exact = 0.01;

    public static IEnumerable<string> Problems(PlacedDiagram diagram) =>
        Overlaps(diagram).Concat(Ends(diagram)).Concat(Through(diagram)).Concat(Shared(diagram))
            .Concat(Outside(diagram))
            .Concat(Escaped(diagram));

    /// <summary>Crossings of lines of different edges. Lines that run together cross once.</summary>
    public static int Crossings(IEnumerable<IReadOnlyList<Place>> edges)
    {
        var lines = edges.SelectMany(Lines).ToList();
        var upright = lines.Where(line => line.From.X == line.To.X)
            .Select(line =>
                (line.From.X, Low: Math.Min(line.From.Y, line.To.Y), High: Math.Max(line.From.Y, line.To.Y)))
            .Distinct()
            .OrderBy(line => line.X).ToArray();
        var level = lines.Where(line => line.From.Y == line.To.Y)
            .Select(line =>
                (line.From.Y, Low: Math.Min(line.From.X, line.To.X), High: Math.Max(line.From.X, line.To.X)))
            .Distinct();
        return level.SelectMany(line => upright
            .Where(other => other.X > line.Low + Exact && other.X < line.High - Exact && line.Y > other.Low + Exact
                && line.Y < other.High - Exact)
            .Select(other => (Math.Round(other.X), Math.Round(line.Y)))).Distinct().Count();
    }

    private static IEnumerable<string> Overlaps(PlacedDiagram diagram)
    {
        var nodes = diagram.Nodes.ToDictionary(node => node.Node.Id);
        var parents = diagram.Nodes.ToDictionary(node => node.Node.Id, node => node.Node.Parent);

        // A frame overlaps what is In it, and no other.
        List<(string Of, Box Box, string? Frame, string? In)> boxes =
        [
            .. diagram.Nodes
                .Select(node => (node.Node.Id, node.Shape, IsFrame(node) ? node.Node.Id : null, node.Node.Parent)),
            .. diagram.Nodes.Where(HasTextOfItsOwn).Select(node =>
                ($"text of {node.Node.Id}", node.Text, (string?)null, IsFrame(node) ? node.Node.Id : node.Node.Parent)),
            .. diagram.Edges.Where(edge => edge.Label is not null).Select(edge =>
                ($"label of {edge.Edge.Id}", edge.LabelBox, (string?)null, parents[edge.Edge.From])),
            .. diagram.Edges.Where(edge => edge.LeavesByBoundary && IsFrame(nodes[edge.Edge.From])).Select(edge =>
                ($"boundary of {edge.Edge.Id}", Around(edge.Boundary), (string?)null, (string?)edge.Edge.From)),
        ];
        for (var i = 0; i < boxes.Count; i++)
        {
            for (var j = 0; j < i; j++)
            {
                if (boxes[i].Box.Overlaps(boxes[j].Box) && !IsAround(boxes[i].Frame, boxes[j].In, parents)
                    && !IsAround(boxes[j].Frame, boxes[i].In, parents))
                {
                    yield return $"{boxes[j].Of} overlaps {boxes[i].Of}";
                }
            }
        }

        foreach (var node in diagram.Nodes.Where(node => !node.Figure.TextBeside))
        {
            var (text, shape) = (node.Text, node.Shape);
            if (text.X < shape.X || text.Right > shape.Right || text.Y < shape.Y || text.Bottom > shape.Bottom)
            {
                yield return $"the text of {node.Node.Id} is not inside of it";
            }
        }
    }

    private static bool IsFrame(PlacedNode node) => node.Figure.Outline == Outline.Frame;

    /// <summary>A text that nothing may cover; that of a plain box is inside of it.</summary>
    private static bool HasTextOfItsOwn(PlacedNode node) =>
        (node.Figure.TextBeside || IsFrame(node)) && node.Text.Width > 0;

    private static bool IsAround(string? frame, string? inside, Dictionary<string, string?> parents)
    {
        while (inside is not null && inside != frame)
        {
            inside = parents[inside];
        }

        return inside is not null;
    }

    /// <summary>
    /// Everything inside a sub-process is drawn inside it: shapes, texts, edges and the circles on their borders.
    /// </summary>
    private static IEnumerable<string> Escaped(PlacedDiagram diagram)
    {
        var nodes = diagram.Nodes.ToDictionary(node => node.Node.Id);
        foreach (var node in diagram.Nodes.Where(node => node.Node.Parent is not null))
        {
            var frame = nodes[node.Node.Parent!];
            if (!IsFrame(frame) || !Surrounds(frame.Shape, node.Shape)
                || (HasTextOfItsOwn(node) && !Surrounds(frame.Shape, node.Text)))
            {
                yield return $"{node.Node.Id} is not inside of {frame.Node.Id}";
            }
        }

        foreach (var edge in diagram.Edges)
        {
            var parent = nodes[edge.Edge.From].Node.Parent;
            if (parent != nodes[edge.Edge.To].Node.Parent)
            {
                yield return $"{edge.Edge.Id} leads out of {parent}";
            }

            var points = edge.Points.Select(point => new Box(point.X, point.Y, 0, 0));
            if (parent is not null && !points.Concat(edge.Label is null ? [] : [edge.LabelBox])
                .Concat(edge.LeavesByBoundary ? [Around(edge.Boundary)] : [])
                .All(box => Surrounds(nodes[parent].Shape, box)))
            {
                yield return $"{edge.Edge.Id} is not inside of {parent}";
            }
        }
    }

    private static Box Around(Place middle) =>
        new(middle.X - FigureSizes.BoundaryRadius, middle.Y - FigureSizes.BoundaryRadius,
        2 * FigureSizes.BoundaryRadius, 2 * FigureSizes.BoundaryRadius);

    private static bool Surrounds(Box frame, Box box) =>
        box.X > frame.X && box.Y > frame.Y && box.Right < frame.Right && box.Bottom < frame.Bottom;

    private static IEnumerable<string> Ends(PlacedDiagram diagram)
    {
        var nodes = diagram.Nodes.ToDictionary(node => node.Node.Id);
        foreach (var edge in diagram.Edges)
        {
            var from = edge.LeavesByBoundary ? edge.Boundary : edge.Points[0];
            if (!OnBorder(nodes[edge.Edge.From], from))
            {
                yield return $"{edge.Edge.Id} does not begin on the border of {edge.Edge.From}, but at {from}";
            }

            if (edge.LeavesByBoundary
                && Math.Abs(Math.Abs(edge.Points[0].Y - edge.Boundary.Y) - FigureSizes.BoundaryRadius) > Exact)
            {
                yield return $"{edge.Edge.Id} does not begin on its boundary event";
            }

            if (!OnBorder(nodes[edge.Edge.To], edge.Points[^1]))
            {
                yield return $"{edge.Edge.Id} does not end on the border of {edge.Edge.To}, but at {edge.Points[^1]}";
            }

            foreach (var line in Lines(edge.Points).Where(line => line.From.X != line.To.X && line.From.Y != line.To.Y))
            {
                yield return $"{edge.Edge.Id} has a line that is neither upright nor level: {line}";
            }
        }
    }

    private static bool OnBorder(PlacedNode node, Place place)
    {
        var (x, y) = (Math.Abs(place.X - node.Shape.Middle.X), Math.Abs(place.Y - node.Shape.Middle.Y));
        var (width, height) = (node.Shape.Width / 2, node.Shape.Height / 2);
        return node.Figure.Outline switch
        {
            Outline.Box or Outline.Frame => Near(y, height) && x <= width,
            Outline.Circle => Near((x * x) + (y * y), width * width),
            _ => Near(x + y, width) || (Near(y, height) && x <= width - height),
        };
    }

    private static bool Near(double one, double other) => Math.Abs(one - other) < Exact * Math.Max(1, Math.Abs(other));

    private static IEnumerable<string> Through(PlacedDiagram diagram)
    {
        var parents = diagram.Nodes.ToDictionary(node => node.Node.Id, node => node.Node.Parent);
        foreach (var edge in diagram.Edges)
        {
            foreach (var line in Lines(edge.Points))
            {
                var box = new Box(Math.Min(line.From.X, line.To.X) - Exact, Math.Min(line.From.Y, line.To.Y) - Exact,
                    Math.Abs(line.From.X - line.To.X) + (2 * Exact), Math.Abs(line.From.Y - line.To.Y) + (2 * Exact));
                foreach (var node in diagram.Nodes)
                {
                    // At its own ends a line enters the box around a circle or diamond only up to its border.
                    var own = node.Node.Id == edge.Edge.From || node.Node.Id == edge.Edge.To
                        || IsAround(node.Node.Id, parents[edge.Edge.From], parents);
                    if ((!own && box.Overlaps(node.Shape)) || (HasTextOfItsOwn(node) && box.Overlaps(node.Text)))
                    {
                        yield return $"{edge.Edge.Id} runs through {node.Node.Id}";
                    }
                }

                foreach (var other in diagram.Edges
                    .Where(other => other.Label is not null && box.Overlaps(other.LabelBox)))
                {
                    yield return $"{edge.Edge.Id} runs through the label of {other.Edge.Id}";
                }
            }
        }
    }

    /// <summary>Edges run together only on the way to the same node.</summary>
    private static IEnumerable<string> Shared(PlacedDiagram diagram)
    {
        var lines =
            diagram.Edges.SelectMany(edge => Lines(edge.Points).Select(line => (edge.Edge, Line: line))).ToList();
        var upright = lines.Where(line => line.Line.From.X == line.Line.To.X).GroupBy(line => line.Line.From.X)
            .Select(group => group.Select(line => (line.Edge, A: line.Line.From.Y, B: line.Line.To.Y)));
        var level = lines.Where(line => line.Line.From.Y == line.Line.To.Y).GroupBy(line => line.Line.From.Y)
            .Select(group => group.Select(line => (line.Edge, A: line.Line.From.X, B: line.Line.To.X)));
        foreach (var group in upright.Concat(level))
        {
            var sorted =
                group.Select(line => (line.Edge, Low: Math.Min(line.A, line.B), High: Math.Max(line.A, line.B)))
                .OrderBy(line => line.Low).ToArray();
            for (var i = 0; i < sorted.Length; i++)
            {
                for (var j = i + 1; j < sorted.Length && sorted[j].Low < sorted[i].High - Exact; j++)
                {
                    if (sorted[i].Edge.To != sorted[j].Edge.To)
                    {
                        yield return $"{sorted[i].Edge.Id} and {sorted[j].Edge.Id} lie on each other";
                    }
                }
            }
        }
    }

    private static IEnumerable<string> Outside(PlacedDiagram diagram) => diagram.Nodes
        .SelectMany(node => new[] { (node.Node.Id, node.Shape), (node.Node.Id, node.Text) })
        .Concat(diagram.Edges
            .SelectMany(edge => edge.Points.Select(point => (edge.Edge.Id, new Box(point.X, point.Y, 0, 0)))))
        .Concat(diagram.Edges.Where(edge => edge.Label is not null).Select(edge => (edge.Edge.Id, edge.LabelBox)))
        .Where(item => item.Item2.X < 0 || item.Item2.Y < 0 || item.Item2.Right > diagram.Width
            || item.Item2.Bottom > diagram.Height)
        .Select(item =>
            string.Create(CultureInfo.InvariantCulture, $"{item.Id} is outside of the picture: {item.Item2}"));

    private static IEnumerable<(Place From, Place To)> Lines(IReadOnlyList<Place> points) => points.Zip(points.Skip(1));
}
