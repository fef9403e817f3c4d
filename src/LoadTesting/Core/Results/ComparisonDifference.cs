namespace LoadTesting.Core.Results;

/// <summary>A circumstance in which two results differ, or are not known to be equal.</summary>
/// <param name="What">The circumstance in a word: <c>machine</c>, <c>durability</c>, <c>content</c> and so on.</param>
/// <param name="First">Its value in the first column.</param>
/// <param name="Other">Its value in the other.</param>
/// <param name="ForbidsVerdict">Whether the results are unlike because of it, so that neither may be called
/// faster.</param>
public sealed record ComparisonDifference(string What, string First, string Other, bool ForbidsVerdict)
{
    /// <summary>Whether both sides recorded it: they are known to differ.</summary>
    public bool IsKnown => First != Comparability.NotRecorded && Other != Comparability.NotRecorded;
}
