namespace LoadTesting.Core.Analysis.Findings;

/// <summary>One kind of waiting over a number of looks at the sessions.</summary>
/// <param name="Resource">
/// Which of <see cref="ResourceNames"/> is waited for; null for one that is measured elsewhere.
/// </param>
/// <param name="Sessions">Sessions in it, added up over the looks.</param>
/// <param name="Moments">Looks in which at least one was.</param>
public readonly record struct WaitSum(string? Resource, long Sessions, long Moments);
