namespace PerformanceTesting.Subjects;

/// <summary>A scenario whose body serves several rows of the table.</summary>
public abstract class VariantScenario(ScenarioVariant variant) : WorkflowScenario
{
    public sealed override string Name => variant.Name;

    public sealed override string Tier => variant.Tier;

    public sealed override int Operations => variant.Operations;

    public sealed override int Concurrency => variant.Concurrency;

    public sealed override int? SignalWorkers => variant.SignalWorkers;

    public override int WarmUpOperations => IsFullSize ? 512 : base.WarmUpOperations;

    public sealed override bool IsFullSize => variant.Size == ScenarioSize.Xl;
}
