namespace UnitTests.Workflow.Engine;

public sealed class PagesTests
{
    private static readonly Guid[] Ids = [.. Enumerable.Range(0, 200).Select(_ => Guid.NewGuid())];

    [Theory]
    [InlineData(1, 1, false), InlineData(50, 50, false), InlineData(120, 120, false)]
    [InlineData(200, 200, false), InlineData(201, 200, true)]
    public async Task Page_of_small_rows_ends_at_its_limit(int limit, int count, bool isLast)
    {
        var (rows, last) = await ReadAsync(limit, _ => 1);

        Assert.Equal(Ids[..count], rows);
        Assert.Equal(isLast, last);
    }

    [Fact]
    public async Task Page_of_large_rows_ends_early()
    {
        var all = new List<Guid>();
        for (Guid? after = null; ;)
        {
            var (rows, isLast) = await ReadAsync(1_000, _ => 2_000_000, after);
            Assert.InRange(rows.Count, isLast ? 0 : 1, Pages.Portion);
            all.AddRange(rows);
            if (isLast)
            {
                break;
            }

            after = rows[^1];
        }

        Assert.Equal(Ids, all);
    }

    private static Task<(IReadOnlyList<Guid> Rows, bool IsLast)> ReadAsync(
        int limit, Func<Guid, long> sizeOf, Guid? after = null) =>
        Pages.ReadAsync(
            limit,
            after,
            (from, count) => Task.FromResult<IReadOnlyList<Guid>>(
                [.. Ids.Skip(from is { } last ? Array.IndexOf(Ids, last) + 1 : 0).Take(count)]),
            id => id,
            sizeOf);
}
