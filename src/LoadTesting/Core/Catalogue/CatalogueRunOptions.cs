using LoadTesting.Core.Reporting.Live;

namespace LoadTesting.Core.Catalogue;

/// <summary>Settings of a run of a catalogue.</summary>
public sealed record CatalogueRunOptions
{
    /// <summary>Directory of the results; null for the assembly's default.</summary>
    public string? ResultsDirectory { get; init; }

    /// <summary>Outputs that show the progress of the run; disposed with it.</summary>
    public IReadOnlyList<IProgressOutput> Outputs { get; init; } = [];

    /// <summary>Ends everything at once; current measurements are lost. Default: never.</summary>
    public CancellationToken Abort { get; init; }

    /// <summary>The part of the load to drive; null (the default) for the whole load.</summary>
    public CataloguePart? Part { get; init; }
}
