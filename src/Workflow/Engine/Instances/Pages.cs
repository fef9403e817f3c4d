namespace Workflow.Engine.Instances;

/// <summary>
/// Reads a page of rows in portions and ends it early if the rows are large, so that a page cannot exhaust the memory
/// of a service.
/// </summary>
internal static class Pages
{
    /// <summary>The number of characters after which a page ends.</summary>
    public const long MaxSize = 8L * 1_048_576;

    /// <summary>The size of the first portion, and of further portions while rows are large.</summary>
    public const int Portion = 50;

    /// <summary>The size of a portion while rows are small.</summary>
    private const int LargePortion = 200;

    /// <returns>The rows, at least one if any exists, and whether they are the last.</returns>
    public static async Task<(IReadOnlyList<T> Rows, bool IsLast)> ReadAsync<T>(
        int limit, Guid? after, Func<Guid?, int, Task<IReadOnlyList<T>>> read, Func<T, Guid> idOf, Func<T, long> sizeOf)
    {
        var rows = new List<T>();
        for (var size = 0L; rows.Count < limit && size < MaxSize;)
        {
            var areSmall = rows.Count > 0 && size / rows.Count * LargePortion < MaxSize - size;
            var wanted = Math.Min(areSmall ? LargePortion : Portion, limit - rows.Count);
            var portion = await read(after, wanted);
            rows.AddRange(portion);
            if (portion.Count < wanted)
            {
                return (rows, true);
            }

            size += portion.Sum(sizeOf);
            after = idOf(portion[^1]);
        }

        return (rows, false);
    }
}
