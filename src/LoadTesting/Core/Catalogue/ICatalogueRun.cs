namespace LoadTesting.Core.Catalogue;

/// <summary>A run of a catalogue. Runs one scenario at a time.</summary>
public interface ICatalogueRun : IAsyncDisposable
{
    /// <summary>The report's path; null before the first measurement.</summary>
    string? ReportPath { get; }

    /// <summary>Counts of measured scenarios as in the report; valid after the run is disposed.</summary>
    ScenarioCounts Measured { get; }

    /// <summary>Measures a scenario and writes its result.</summary>
    /// <param name="request">The scenario with its settings.</param>
    /// <param name="interruption">
    /// Ends the load early and keeps the result as partial; before the load there is no result.
    /// </param>
    /// <exception cref="OperationCanceledException">Interrupted before the load, or aborted.</exception>
    Task<CatalogueResult> RunAsync(CatalogueRequest request, CancellationToken interruption);

    /// <summary>
    /// Failures of earlier scenarios found after their verdicts, one sentence each. Returns each failure once.
    /// </summary>
    IReadOnlyList<string> TakeLateFailures();
}
