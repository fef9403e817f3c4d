namespace PerformanceTests.Scenarios;

/// <summary>The scenarios of the seed's table, each with what makes it.</summary>
public static class ScenarioTable
{
    private static readonly (ScenarioForm Form, Func<ScenarioForm, WorkflowScenario> Make)[] Rows =
    [
        .. SignalRoundTripCapacityScenario.Ladder.Select(rung => (rung, Row(form => new SignalRoundTripCapacityScenario(form)))),
        (SignalRoundTripLatencyScenario.Serial, form => new SignalRoundTripLatencyScenario(form)),
        (SignalRoundTripThroughputScenario.Parallel, form => new SignalRoundTripThroughputScenario(form)),
        (QuoteOrApplicationCancelScenario.Smoke, form => new QuoteOrApplicationCancelScenario(form)),
        (QuotationToPolicyScenario.Nightly, form => new QuotationToPolicyScenario(form)),
        (DelayedBurstScenario.Smoke, form => new DelayedBurstScenario(form)),
        (DelayedBurstScenario.Nightly, form => new DelayedBurstScenario(form)),
        (ImmediateBurstScenario.Smoke, form => new ImmediateBurstScenario(form)),
        (ImmediateBurstScenario.Nightly, form => new ImmediateBurstScenario(form)),
        (ExternalResumeScenario.Smoke, form => new ExternalResumeScenario(form)),
        (ExternalResumeScenario.Nightly, form => new ExternalResumeScenario(form)),
        (SignalRoundTripSoakScenario.Soak, form => new SignalRoundTripSoakScenario(form, duration: null)),
    ];

    /// <summary>Every row at the seed's size.</summary>
    public static IReadOnlyList<ScenarioForm> Seeds { get; } = [.. Rows.Select(row => row.Form)];

    /// <summary>Every load at its full size.</summary>
    public static IReadOnlyList<ScenarioForm> FullSizes { get; } = [.. Seeds.Where(form => form.FullSizeOperations is not null).Select(form => form.At(ScenarioSize.Xl))];

    /// <summary>The scenario of a row, at the size of <paramref name="form"/>.</summary>
    /// <exception cref="ArgumentException">There is no such row.</exception>
    public static WorkflowScenario Make(ScenarioForm form)
    {
        ArgumentNullException.ThrowIfNull(form);
        var row = Array.FindIndex(Rows, row => (form.Size == ScenarioSize.Seed || row.Form.FullSizeOperations is not null) && row.Form.At(form.Size).Name == form.Name);
        return row >= 0 ? Rows[row].Make(form) : throw new ArgumentException($"No scenario is called '{form.Name}'. Add it to the table in {nameof(ScenarioTable)}.", nameof(form));
    }

    private static Func<ScenarioForm, WorkflowScenario> Row(Func<ScenarioForm, WorkflowScenario> make) => make;
}
