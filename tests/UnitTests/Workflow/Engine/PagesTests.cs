namespace UnitTests.Workflow.Engine;

public sealed class PagesTests
{
    private static readonly Guid[] Ids = [.. Enumerable.Range(0, 200).Select(_ => Guid.NewGuid())];

    [Theory]
    [InlineData(1, 1, false), InlineData(50, 50, false), InlineData(120, 120, false)]
    [InlineData(200, 200, false), InlineData(201, 200, true)]
    public async Task Page_of_small_rows_ends_at_its_limit(int limit, int count, bool isLast)
    {
        var (rows, next) = await ReadAsync(limit, _ => 1);

        Assert.Equal(Ids[..count], rows);
        Assert.Equal(isLast ? null : Ids[count - 1], next);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Page_ends_with_the_last_row_it_may_look_at(bool newestFirst)
    {
        var sorted = Ids.Order().ToList();
        var last = newestFirst ? sorted[^90] : sorted[89];
        Guid? lowest = null, highest = null;

        var (rows, next) = await Pages.ReadAsync<Guid>(
            new(1_000, null, null, newestFirst, MostExamined: 90),
            most => Task.FromResult(new ListCount(3, most, last)),
            (after, before, _) =>
            {
                (lowest, highest) = (after, before);
                return Task.FromResult<IReadOnlyList<Guid>>([last]);
            },
            id => id, _ => 1);

        Assert.Equal([last], rows);
        Assert.Equal(last, next);
        Assert.Equal(newestFirst ? IdBounds.Before(last) : null, lowest);
        Assert.Equal(newestFirst ? null : IdBounds.After(last), highest);
    }

    [Fact]
    public async Task Page_of_large_rows_ends_early()
    {
        var all = new List<Guid>();
        for (Guid? after = null; ;)
        {
            var (rows, next) = await ReadAsync(1_000, _ => 2_000_000, after);
            Assert.InRange(rows.Count, next is null ? 0 : 1, Pages.Portion);
            all.AddRange(rows);
            if (next is null)
            {
                break;
            }

            after = next;
        }

        Assert.Equal(Ids, all);
    }

    private static Task<(IReadOnlyList<Guid> Rows, Guid? Next)> ReadAsync(
        int limit, Func<Guid, long> sizeOf, Guid? after = null) =>
        Pages.ReadAsync<Guid>(
            new(limit, after, Before: null, NewestFirst: false, MostExamined: null),
            _ => throw new InvalidOperationException("Nothing is to be counted."),
            (from, _, count) => Task.FromResult<IReadOnlyList<Guid>>(
                [.. Ids.Skip(from is { } last ? Array.IndexOf(Ids, last) + 1 : 0).Take(count)]),
            id => id,
            sizeOf);
}
