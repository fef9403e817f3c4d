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

    /// <param name="count">Counts the rows of the page that match among the given number of rows.</param>
    /// <param name="read">Reads rows between two ids, at most the given number.</param>
    /// <returns>
    /// The rows; and the id after which the next page begins, or before which if the newest rows come first. That is
    /// null if no row follows.
    /// </returns>
    public static async Task<(IReadOnlyList<T> Rows, Guid? Next)> ReadAsync<T>(
        PageRequest request, Func<int, Task<ListCount>> count,
        Func<Guid?, Guid?, int, Task<IReadOnlyList<T>>> read, Func<T, Guid> idOf, Func<T, long> sizeOf)
    {
        var end = request.MostExamined is { } most ? (await count(most)).Last : null;
        var (after, before) = Bounds(request, end);
        var rows = new List<T>();
        for (var size = 0L; rows.Count < request.Limit && size < MaxSize;)
        {
            var areSmall = rows.Count > 0 && size / rows.Count * LargePortion < MaxSize - size;
            var wanted = Math.Min(areSmall ? LargePortion : Portion, request.Limit - rows.Count);
            var portion = await read(after, before, wanted);
            rows.AddRange(portion);
            if (portion.Count < wanted)
            {
                return (rows, end);
            }

            size += portion.Sum(sizeOf);
            if (request.NewestFirst)
            {
                before = idOf(portion[^1]);
            }
            else
            {
                after = idOf(portion[^1]);
            }
        }

        return (rows, idOf(rows[^1]));
    }

    /// <param name="end">The last row that may be looked at, which belongs to the page; null if there is none.</param>
    private static (Guid? After, Guid? Before) Bounds(PageRequest request, Guid? end)
    {
        if (end is not { } last)
        {
            return (request.After, request.Before);
        }

        return request.NewestFirst
            ? ((Guid?)IdBounds.Before(last), request.Before)
            : (request.After, (Guid?)IdBounds.After(last));
    }
}
