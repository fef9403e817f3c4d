namespace LoadTesting.Core.Results.Merging;

/// <summary>Merges processor and memory, by what the name of a figure says of it; one whose name says nothing is null.</summary>
internal static class ResourcesMerge
{
    public static ResourcesResult? Of(IReadOnlyList<MergeInput> inputs) =>
        inputs.Any(input => input.Scenario.Resources is null) ? null : new ResourcesResult
        {
            Generator = Side(inputs, resources => resources.Generator),
            Service = Side(inputs, resources => resources.Service),
            Database = Side(inputs, resources => resources.Database),
        };

    private static Dictionary<string, double?> Side(
        IReadOnlyList<MergeInput> inputs, Func<ResourcesResult, IReadOnlyDictionary<string, double?>> side) =>
        inputs.SelectMany(input => side(input.Scenario.Resources!).Keys).Distinct().ToDictionary(
            name => name, name => Figure(name, [.. inputs.Select(input => (side(input.Scenario.Resources!).GetValueOrDefault(name), input))]));

    private static double? Figure(string name, IReadOnlyList<(double? Value, MergeInput Input)> values) => name switch
    {
        _ when values.Any(value => value.Value is null) => null,
        _ when name.StartsWith("peak", StringComparison.Ordinal) => values.Max(value => value.Value),
        _ when name.EndsWith("PerOperation", StringComparison.Ordinal) =>
            Weighted.Mean(values.Select(value => (value.Value, (double)value.Input.Completed))),
        _ when name.EndsWith("Seconds", StringComparison.Ordinal) => values.Sum(value => value.Value),
        _ when name.EndsWith("Cores", StringComparison.Ordinal) || name.EndsWith("Share", StringComparison.Ordinal) =>
            Weighted.Mean(values.Select(value => (value.Value, value.Input.Scenario.DurationMs))),
        _ => null,
    };
}
