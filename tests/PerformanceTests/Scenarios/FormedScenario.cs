namespace PerformanceTests.Scenarios;

/// <summary>A scenario whose body serves several rows of the table.</summary>
public abstract class FormedScenario(ScenarioForm form) : WorkflowScenario
{
    public sealed override string Name => form.Name;

    public sealed override string Tier => form.Tier;

    public sealed override int Operations => form.Operations;

    public sealed override int Concurrency => form.Concurrency;

    public sealed override int? SignalWorkers => form.SignalWorkers;

    public sealed override int WarmUpOperations => IsFullSize ? 512 : base.WarmUpOperations;

    /// <summary>Whether this is the <c>-xl</c> form.</summary>
    protected bool IsFullSize => form.Size == ScenarioSize.Xl;
}
