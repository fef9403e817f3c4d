namespace LoadTesting.Core.Results;

/// <summary>One profile of one run: what stands side by side.</summary>
/// <param name="Letter">A for the first, which the others are held against; then B, C and so on.</param>
/// <param name="Profile">The backend combination.</param>
/// <param name="Source">The run it is from.</param>
public sealed record ComparisonColumn(string Letter, string Profile, ComparisonSource Source)
{
    public string Title => $"{Letter} {Profile}";

    /// <summary>The backend of the profile; null if the run does not record it.</summary>
    public BackendInfo? Backend =>
        Source.Run.Environment.Backends.GetValueOrDefault(Profile) ?? Source.Run.Environment.Backend;

    public EnvironmentInfo Environment => Source.Run.Environment;

    /// <summary>What the parts below the profile's system can do; null if nothing was measured.</summary>
    public CeilingsResult? Ceilings => Source.Run.CeilingsByProfile.GetValueOrDefault(Profile);

    /// <summary>
    /// What differs from the first column in every row, or is not known to be equal; empty for the first column.
    /// </summary>
    public IReadOnlyList<ComparisonDifference> Differences { get; init; } = [];
}
