namespace LoadTesting.Core.Catalogue;

/// <summary>
/// The scenarios that <c>wfperf run ASSEMBLY</c> runs. An assembly has one implementation: a public class with a
/// parameterless constructor. It measures, reports and judges like the tests of the assembly.
/// </summary>
public interface IScenarioCatalogue
{
    /// <summary>The scenarios in the order of the list; names are unique.</summary>
    IReadOnlyList<CatalogueScenario> Scenarios { get; }

    /// <summary>The backend combinations by name; the first is the default.</summary>
    IReadOnlyList<string> Profiles { get; }

    /// <summary>Begins a run, whose results share a directory.</summary>
    /// <exception cref="ArgumentException">
    /// An environment variable is invalid, or the machine did not become free; the message names it.
    /// </exception>
    Task<ICatalogueRun> BeginAsync(CatalogueRunOptions options, CancellationToken cancellationToken);
}
