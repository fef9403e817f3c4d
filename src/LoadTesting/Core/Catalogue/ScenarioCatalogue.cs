using LoadTesting.Core.Reporting.Live;

namespace LoadTesting.Core.Catalogue;

/// <summary>
/// What <c>wfperf run ASSEMBLY</c> runs: a public class with a constructor without parameters, one of them in an assembly. It measures,
/// writes and judges as the tests of the assembly do.
/// </summary>
public interface IScenarioCatalogue
{
    /// <summary>What can be run, in the order in which it is listed; names are unique.</summary>
    IReadOnlyList<CatalogueScenario> Scenarios { get; }

    /// <summary>The backend combinations by name; the first is taken where none is asked for.</summary>
    IReadOnlyList<string> Profiles { get; }

    /// <summary>Begins a run; its results share a directory.</summary>
    /// <exception cref="ArgumentException">
    /// A setting of the environment is wrong, or the machine did not become free; the message says which.
    /// </exception>
    Task<ICatalogueRun> BeginAsync(CatalogueRunOptions options, CancellationToken cancellationToken);
}

/// <summary>A run of a catalogue. One scenario at a time.</summary>
public interface ICatalogueRun : IAsyncDisposable
{
    /// <summary>The report's path; null while nothing was measured.</summary>
    string? ReportPath { get; }

    /// <summary>Measures a scenario and writes its result.</summary>
    /// <param name="request">What; of the catalogue.</param>
    /// <param name="interruption">
    /// Ends the load before its time and keeps the result as a partial one; before the load there is no result.
    /// </param>
    /// <exception cref="OperationCanceledException">Interrupted before the load, or given up.</exception>
    Task<CatalogueResult> RunAsync(CatalogueRequest request, CancellationToken interruption);

    /// <summary>What came to light of earlier scenarios after their verdicts, a sentence each, and each once.</summary>
    IReadOnlyList<string> TakeAfterVerdict();
}

/// <summary>A scenario that can be run.</summary>
/// <param name="Name">Without the profile.</param>
/// <param name="Tier">When it is run by itself.</param>
/// <param name="Question">What it answers.</param>
/// <param name="Profiles">Where it can run.</param>
/// <param name="TakesLoad">Whether rate, duration and warm-up can be chosen; else they are its own.</param>
public sealed record CatalogueScenario(string Name, string Tier, string Question, IReadOnlyList<string> Profiles, bool TakesLoad);

public sealed record CatalogueRunOptions
{
    /// <summary>Where results go; null: as the assembly has it.</summary>
    public string? ResultsDirectory { get; init; }

    /// <summary>Show what the run does; they are disposed with it.</summary>
    public IReadOnlyList<IProgressOutput> Outputs { get; init; } = [];

    /// <summary>Ends everything at once, and what is measured is lost. Default: never.</summary>
    public CancellationToken Abort { get; init; }

    /// <summary>Only a part of the load is driven, on a service that runs; null, the default: all of it.</summary>
    public CataloguePart? Part { get; init; }
}

/// <param name="Scenario">Of the catalogue.</param>
/// <param name="Profile">Of the scenario.</param>
public sealed record CatalogueRequest(CatalogueScenario Scenario, string Profile)
{
    /// <summary>Operations that begin in a second, 1 to 1,000,000; null: the scenario's own load.</summary>
    public int? RatePerSecond { get; init; }

    /// <summary>How long the load lasts; null: as the scenario has it.</summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>Operations before it that do not count; null: as many as the scenario has.</summary>
    public int? WarmUpOperations { get; init; }
}

/// <summary>What came of a scenario.</summary>
/// <param name="Outcome">Null where it could not be run, as its profile is not available.</param>
/// <param name="Summary">Verdict, key figures and the report's path; or why it could not be run, and what would change that.</param>
/// <param name="IsPartial">Whether it was interrupted.</param>
public sealed record CatalogueResult(VerdictOutcome? Outcome, string Summary, bool IsPartial);
