namespace Workflow.Abstractions;

/// <summary>How many of the first rows of a list match its filters.</summary>
/// <param name="Matching">The number of rows among those examined that match.</param>
/// <param name="Examined">
/// The number of rows that were examined. An index may leave rows of another state out before.
/// </param>
/// <param name="Last">
/// The id of the last row examined if as many were examined as allowed: rows behind it were not. Null if every row was.
/// </param>
public sealed record ListCount(int Matching, int Examined, Guid? Last)
{
    /// <summary>Whether every row was examined, so that the number of matching rows is exact.</summary>
    public bool IsExact => Last is null;

    /// <summary>Counts the rows that match among the first of a list.</summary>
    /// <param name="examined">The rows, at most <paramref name="most"/>.</param>
    public static ListCount Of<T>(
        IReadOnlyList<T> examined, int most, Func<T, bool> matches, Func<T, Guid> idOf) =>
        new(examined.Count(matches), examined.Count, examined.Count == most ? idOf(examined[^1]) : null);
}
