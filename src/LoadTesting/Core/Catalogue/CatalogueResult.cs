namespace LoadTesting.Core.Catalogue;

/// <summary>The outcome of a scenario.</summary>
/// <param name="Outcome">Null if its profile is not available.</param>
/// <param name="Summary">Verdict, key figures and the report's path; or why it could not run and how to change
/// that.</param>
public sealed record CatalogueResult(VerdictOutcome? Outcome, string Summary)
{
    /// <summary>Whether the run has a result of it; false if its system ended before.</summary>
    public bool IsMeasured { get; init; } = true;
}
