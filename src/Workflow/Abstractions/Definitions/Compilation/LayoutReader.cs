using System.Text.Json.Serialization;

namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>Reads the layout of a definition.</summary>
internal static class LayoutReader
{
    private const string WayOut = "Leave 'layout' out: then the diagram is laid out when it is drawn.";

    private static readonly JsonSerializerOptions Options = new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
        RespectRequiredConstructorParameters = true,
        RespectNullableAnnotations = true,
    };

    /// <summary>The layout; null where there is an error.</summary>
    public static DefinitionLayout? Read(JsonElement element, string path, ICollection<DefinitionError> errors)
    {
        try
        {
            if (element.ValueKind == JsonValueKind.Object
                && element.Deserialize<DefinitionLayout>(Options) is { } layout)
            {
                if (Problem(layout) is not { } problem)
                {
                    return layout;
                }

                errors.Add(new DefinitionError(path, $"{problem} {WayOut}"));
                return null;
            }
        }
        catch (JsonException e)
        {
            errors.Add(new DefinitionError(path,
                $"A member of the layout is missing, unknown or of another type at '{e.Path}'. {WayOut}"));
            return null;
        }

        errors.Add(new DefinitionError(path, $"A layout is an object with 'shapes' and 'flows'. {WayOut}"));
        return null;
    }

    private static string? Problem(DefinitionLayout layout)
    {
        if (Math.Max(layout.Shapes.Count, layout.Flows.Count) is > DefinitionLayout.MaxParts and var count)
        {
            return $"The layout has {count} shapes or flows; at most {DefinitionLayout.MaxParts} are kept.";
        }

        if (layout.Shapes.CountBy(shape => shape.Element).FirstOrDefault(one => one.Value > 1).Key is { } twice)
        {
            return $"The layout has two shapes of '{DefinitionPath.Shorten(twice)}'.";
        }

        var shape = layout.Shapes.FirstOrDefault(shape => !IsBox(shape.Bounds)
            || (shape.Label is { } label && !IsBox(label)));
        if (shape is not null)
        {
            return $"The bounds of '{DefinitionPath.Shorten(shape.Element)}' are no four numbers with a positive width "
                + $"and height, up to {DefinitionLayout.MaxCoordinate}.";
        }

        var flow = layout.Flows.FirstOrDefault(flow => flow.Points.Count is < 4 or > DefinitionLayout.MaxPoints
            || flow.Points.Count % 2 != 0 || !AreCoordinates(flow.Points)
            || (flow.Label is { } label && !IsBox(label)));
        return flow is null ? null
            : $"The points from '{DefinitionPath.Shorten(flow.From)}' to '{DefinitionPath.Shorten(flow.To)}' are no "
                + $"even number of 4 to {DefinitionLayout.MaxPoints} numbers up to {DefinitionLayout.MaxCoordinate}.";
    }

    private static bool IsBox(IReadOnlyList<double> box) =>
        box.Count == 4 && AreCoordinates(box) && box[2] > 0 && box[3] > 0;

    private static bool AreCoordinates(IReadOnlyList<double> numbers) =>
        numbers.All(number => Math.Abs(number) <= DefinitionLayout.MaxCoordinate);
}
