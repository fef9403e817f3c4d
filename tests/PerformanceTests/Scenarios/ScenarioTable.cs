namespace PerformanceTests.Scenarios;

/// <summary>The scenarios of the published table, each with what makes it.</summary>
public static class ScenarioTable
{
    private static readonly (ScenarioVariant Variant, Func<ScenarioVariant, WorkflowScenario> Make)[] Rows =
    [
        .. SignalRoundTripCapacityScenario.Ladder
            .Select(step => (step, Row(variant => new SignalRoundTripCapacityScenario(variant)))),
        (SignalRoundTripLatencyScenario.Serial, variant => new SignalRoundTripLatencyScenario(variant)),
        (SignalRoundTripThroughputScenario.Parallel, variant => new SignalRoundTripThroughputScenario(variant)),
        (QuoteOrApplicationCancelScenario.Smoke, variant => new QuoteOrApplicationCancelScenario(variant)),
        (QuotationToPolicyScenario.Nightly, variant => new QuotationToPolicyScenario(variant)),
        (DelayedBurstScenario.Smoke, variant => new DelayedBurstScenario(variant)),
        (DelayedBurstScenario.Nightly, variant => new DelayedBurstScenario(variant)),
        (ImmediateBurstScenario.Smoke, variant => new ImmediateBurstScenario(variant)),
        (ImmediateBurstScenario.Nightly, variant => new ImmediateBurstScenario(variant)),
        (ExternalResumeScenario.Smoke, variant => new ExternalResumeScenario(variant)),
        (ExternalResumeScenario.Nightly, variant => new ExternalResumeScenario(variant)),
        (SignalRoundTripSoakScenario.Soak, variant => new SignalRoundTripSoakScenario(variant, duration: null)),
    ];

    /// <summary>Every row at the published size.</summary>
    public static IReadOnlyList<ScenarioVariant> Published { get; } = [.. Rows.Select(row => row.Variant)];

    /// <summary>Every load at its full size.</summary>
    public static IReadOnlyList<ScenarioVariant> FullSizes { get; } =
        [.. Published.Where(variant => variant.FullSizeOperations is not null)
        .Select(variant => variant.At(ScenarioSize.Xl))];

    /// <summary>The scenario of a row, at the size of <paramref name="variant"/>.</summary>
    /// <exception cref="ArgumentException">There is no such row.</exception>
    public static WorkflowScenario Make(ScenarioVariant variant)
    {
        ArgumentNullException.ThrowIfNull(variant);
        var row = Array.FindIndex(
            Rows, row => (variant.Size == ScenarioSize.Seed || row.Variant.FullSizeOperations is not null)
            && row.Variant.At(variant.Size).Name == variant.Name);
        return row >= 0 ? Rows[row].Make(variant) : throw new ArgumentException(
            $"No scenario is called '{variant.Name}'. Add it to the table in {nameof(ScenarioTable)}.",
            nameof(variant));
    }

    private static Func<ScenarioVariant, WorkflowScenario> Row(Func<ScenarioVariant, WorkflowScenario> make) => make;
}
