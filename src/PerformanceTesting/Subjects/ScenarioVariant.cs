namespace PerformanceTesting.Subjects;

/// <summary>One row of the table of scenarios: what distinguishes it from others that share its body.</summary>
/// <param name="Name">Name without the profile.</param>
/// <param name="Tier">The tier it runs in.</param>
/// <param name="Concurrency">Requests at a time.</param>
public sealed record ScenarioVariant(string Name, string Tier, int Operations, int Concurrency)
{
    private const string FullSizeSuffix = "-xl";

    /// <summary>Lanes that the engine is given; null leaves them at the engine's default.</summary>
    public int? SignalWorkers { get; init; }

    /// <summary>
    /// Operations of the full-size variant, of which there is one to a load: thousands, so that the slowest 1 % are
    /// tens. Null where another row has it.
    /// </summary>
    public int? FullSizeOperations { get; init; }

    /// <summary>The published size, or full size.</summary>
    public ScenarioSize Size { get; private init; }

    /// <summary>This variant at the size: itself, or the one with the suffix <c>-xl</c>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">
    /// It has no full size, or is the full size already and the published one is asked for.
    /// </exception>
    public ScenarioVariant At(ScenarioSize size) => size == Size ? this : (size, FullSizeOperations) switch
    {
        (ScenarioSize.Xl, { } operations) =>
            this with { Name = Name + FullSizeSuffix, Operations = operations, Size = size },
        (ScenarioSize.Xl, null) => throw new ArgumentOutOfRangeException(
            nameof(size), size, $"'{Name}' has no full size; give it {nameof(FullSizeOperations)}."),
        _ => throw new ArgumentOutOfRangeException(
            nameof(size), size, $"'{Name}' is the full size; ask the row of the published size for its own."),
    };
}
