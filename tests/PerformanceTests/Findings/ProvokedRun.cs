namespace PerformanceTests.Findings;

/// <summary>Findings of a load with a cause that is there on purpose, or of one without.</summary>
/// <param name="Findings">What was found.</param>
/// <param name="OtherProcessors">
/// Processors that processes of others used meanwhile, planted neighbours left out.
/// </param>
internal sealed record ProvokedRun(FindingsResult Findings, double OtherProcessors)
{
    /// <summary>Whether others used so much that being kept from the processors is the truth.</summary>
    public bool IsDisturbed => OtherProcessors >= Environment.ProcessorCount / 2.0;

    /// <summary>Whether that resource stands first, or nothing is ranked where none should be.</summary>
    public bool Names(string? resource) => Findings.Ranked.FirstOrDefault()?.Resource == resource;

    /// <summary>Findings of medium or high confidence that are not what was planted.</summary>
    public IEnumerable<FindingResult> Wrong(string? resource) =>
        Findings.Ranked.Where(finding => finding.Resource != resource && finding.Confidence != FindingConfidence.Low);
}
