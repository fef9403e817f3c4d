namespace Workflow.Engine.Instances;

/// <summary>Reads a page of rows in portions, and ends it early where they are large: a page must not take a service's memory.</summary>
internal static class Pages
{
    /// <summary>Characters after which a page ends.</summary>
    public const long MaxSize = 8L * 1_048_576;

    /// <summary>Rows read at once, first of all and while they are large.</summary>
    public const int Portion = 50;

    /// <summary>Rows read at once where those before were small.</summary>
    private const int LargePortion = 200;

    /// <returns>The rows, at least one where there is one, and whether nothing follows them.</returns>
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
