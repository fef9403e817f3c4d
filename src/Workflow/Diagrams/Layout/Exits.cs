namespace Workflow.Diagrams.Layout;

/// <summary>
/// Where edges meet the borders of nodes. Edges that arrive from one side share one point of that border. Each edge
/// that leaves has its own, in the order of where they lead; the plain way on leaves in the middle.
/// </summary>
internal static class Exits
{
    public static void Place(IEnumerable<Vertex> vertices)
    {
        foreach (var vertex in vertices.Where(vertex => vertex.Node is not null))
        {
            PlaceSide(
                vertex, vertex.Down, part => part.Lower.Order, part => part.Back, (part, x) => part.UpperOffset = x);
            PlaceSide(
                vertex, vertex.Up, part => part.Upper.Order, part => !part.Back, (part, x) => part.LowerOffset = x);
        }
    }

    private static void PlaceSide(
        Vertex vertex, List<Segment> segments, Func<Segment, int> order, Func<Segment, bool> arrives,
        Action<Segment, double> set)
    {
        var lower = ReferenceEquals(segments, vertex.Down);
        List<Exit> exits =
            [.. segments.Where(segment => !arrives(segment)).Select(segment => new Exit([segment], order(segment),
                segment.Boundary, lower && segment.Main, null))];
        var arriving = segments.Where(arrives).ToList();
        if (arriving.Count > 0)
        {
            exits.Add(new Exit(arriving, arriving.Average(order), false, !lower, null));
        }

        if (lower)
        {
            // Around the left side: the outermost loop leaves leftmost.
            exits.AddRange(
                vertex.Loops.Select((loop, i) =>
                    new Exit([], -1 - i, LayeredGraph.IsBoundary(loop.Edge), false, loop)));
        }

        exits = [.. exits.OrderBy(exit => exit.Order)];
        var offsets = Offsets(vertex.Figure!, exits);
        for (var i = 0; i < exits.Count; i++)
        {
            exits[i].Segments.ForEach(segment => set(segment, offsets[i]));
            if (exits[i].Loop is { } loop)
            {
                loop.Offset = offsets[i];
            }
        }
    }

    private static double[] Offsets(Figure figure, List<Exit> exits)
    {
        var offsets = new double[exits.Count];
        for (var i = 1; i < exits.Count; i++)
        {
            offsets[i] = offsets[i - 1] + (exits[i - 1].Boundary || exits[i].Boundary
                ? FigureSizes.BoundaryGap
                : FigureSizes.ExitGap);
        }

        if (exits.Count == 0)
        {
            return offsets;
        }

        var main = exits.FindIndex(exit => exit.Main);
        var middle = main >= 0 ? offsets[main] : offsets[^1] / 2;
        var reach = offsets.Select(offset => Math.Abs(offset - middle)).Max();
        var widest = figure.Outline switch
        {
            Outline.Diamond => (figure.Width / 2) - 1,
            Outline.Circle => (figure.Width / 2) - 6,
            _ => (figure.Width / 2) - Figure.Padding - 4,
        };

        // The exits of a diamond use all of its width, so that two of them leave at its corners.
        var scale = reach > 0 && (reach > widest || figure.Outline == Outline.Diamond) ? widest / reach : 1;
        return [.. offsets.Select(offset => Math.Round((offset - middle) * scale))];
    }

    private sealed record Exit(List<Segment> Segments, double Order, bool Boundary, bool Main, Loop? Loop);
}
