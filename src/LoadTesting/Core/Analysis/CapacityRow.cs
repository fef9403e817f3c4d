namespace LoadTesting.Core.Analysis;

/// <summary>A search for the capacity in every column.</summary>
/// <param name="Name">Its name without its profile prefix.</param>
/// <param name="Hosting">Where the system ran.</param>
/// <param name="Cells">One for each column, in their order.</param>
public sealed record CapacityRow(string Name, HostingKind Hosting, IReadOnlyList<CapacityCell> Cells)
{
    internal static IReadOnlyList<CapacityRow> Of(IReadOnlyList<ComparisonColumn> columns)
    {
        var found = columns.Select(column => Measured.Searches(column.Source.Run)
            .Where(search => search.Scenario.Profile == column.Profile).ToLookup(KeyOf)).ToList();
        return
        [
            .. found.SelectMany(searches => searches.Select(search => search.Key)).Distinct().Select(key =>
            {
                var first = found[0][key].LastOrDefault();
                return new CapacityRow(key.Name, key.Hosting,
                    [.. columns.Select(
                        (column, index) =>
                            CapacityCell.Of(column, first, found[index][key].LastOrDefault(), index == 0))]);
            }),
        ];
    }

    private static (string Name, HostingKind Hosting) KeyOf(Measured search) =>
        (search.Capacity!.NameWithoutProfile(), search.Scenario.Hosting);
}
