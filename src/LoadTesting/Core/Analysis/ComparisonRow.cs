namespace LoadTesting.Core.Analysis;

/// <summary>A scenario in every column.</summary>
/// <param name="Name">The scenario's name without its profile prefix.</param>
/// <param name="Hosting">Where the system ran.</param>
/// <param name="Cells">One for each column, in their order.</param>
public sealed record ComparisonRow(string Name, HostingKind Hosting, IReadOnlyList<ComparisonCell> Cells);
