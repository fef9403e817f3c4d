using Workflow.Abstractions;
using Workflow.WebService.Requests;

namespace Workflow.WebService.Ui;

/// <summary>A page of a list, newest first, and the ways to the pages next to it.</summary>
/// <param name="Rows">At most <see cref="Page.Rows"/>.</param>
/// <param name="Newer">The id after which the page with newer rows begins; null if there are none.</param>
/// <param name="Older">The id before which the page with older rows begins; null if there are none.</param>
/// <param name="IsFirst">Whether it begins with the newest row.</param>
/// <param name="CutTowards">
/// Where the search continues if the page ended before it was full: <c>Newer</c> or <c>Older</c>; null otherwise.
/// </param>
internal sealed record Listing<T>(IReadOnlyList<T> Rows, Guid? Newer, Guid? Older, bool IsFirst, string? CutTowards)
{
    /// <summary>Whether the rows are all that match.</summary>
    public bool IsWhole => IsFirst && Older is null;

    /// <summary>Links to the newest rows and to the pages with newer and older ones.</summary>
    /// <param name="filters">The parameters of the address that are kept.</param>
    public Html Paging(string section, IQueryCollection given, params IEnumerable<string> filters)
    {
        return Html.If(!IsFirst || Older is not null, $"""
            {Html.If(
                CutTowards is not null,
                $"<p class=\"cut\">The search has not looked at every row: {CutTowards} continues it.</p>")}
            <nav class="paging" aria-label="Pages of the list">
            {Html.If(!IsFirst, $"<a href=\"{Address(null, null)}\">Newest</a>")}
            {Html.If(Newer is not null, $"<a href=\"{Address("after", Newer)}\" rel=\"prev\">Newer</a>")}
            {Html.If(Older is not null, $"<a href=\"{Address("before", Older)}\" rel=\"next\">Older</a>")}</nav>
            """);

        string Address(string? bound, Guid? id) => Url.Of(
            section,
            [.. filters.Select(name => (name, (string?)given[name].ToString())), (bound ?? "", id?.ToString())]);
    }

    /// <summary>How many rows match, up to a limit.</summary>
    /// <param name="one">What a row is, e.g. <c>instance</c>.</param>
    /// <param name="count">
    /// Reads no more than the given number of rows. Not called if the page has all that match.
    /// </param>
    public async Task<Html> CountAsync(string one, Func<int, Task<ListCount>> count)
    {
        const int Most = Listing.MostExamined;
        if (IsWhole)
        {
            return Show(Rows.Count == 1 ? $"1 {one} matches." : $"{Page.Count(Rows.Count)} {one}s match.");
        }

        var found = await count(Most + 1);
        if (found.IsExact)
        {
            return Show($"{Page.Count(found.Matching)} {one}s match.");
        }

        return Show(found.Matching > Most
            ? $"{Page.Count(Most)}+ {one}s match."
            : $"{Page.Count(found.Matching)} of the newest {Page.Count(found.Examined)} {one}s match.");

        static Html Show(string text) => Html.Of($"<p class=\"quick\">{text}</p>");
    }
}

/// <summary>Makes pages of lists.</summary>
internal static class Listing
{
    /// <summary>The most rows that a page looks at for a filter that no index serves, and that are counted.</summary>
    public const int MostExamined = RequestValues.MostExamined;

    /// <summary>The rows to ask for: one more than is shown says whether there are more.</summary>
    public const int Asked = Page.Rows + 1;

    /// <param name="items">
    /// As the engine lists them: oldest first with <paramref name="after"/>, else newest first.
    /// </param>
    /// <param name="next">Where the engine's list continues; null at its end.</param>
    public static Listing<T> Of<T>(
        IReadOnlyList<T> items, Guid? next, Func<T, Guid> idOf, Guid? after, Guid? before)
    {
        var rows = items.Take(Page.Rows).ToList();
        var hasMore = items.Count > Page.Rows;
        var onward = hasMore ? idOf(rows[^1]) : next;
        var isCut = !hasMore && next is not null;
        if (after is { } bound)
        {
            rows.Reverse();
            var older = rows.Count > 0 ? idOf(rows[^1]) : IdBounds.After(bound);
            return new(rows, onward, older, IsFirst: false, isCut ? "Newer" : null);
        }

        return new(rows, NewerOf(), onward, IsFirst: before is null, isCut ? "Older" : null);

        Guid? NewerOf()
        {
            if (before is not { } last)
            {
                return null;
            }

            return rows.Count > 0 ? idOf(rows[0]) : IdBounds.Before(last);
        }
    }
}
