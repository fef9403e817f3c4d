namespace PerformanceTesting.Subjects;

/// <summary>A regression on purpose, to see that a gate or a verdict finds it.</summary>
public interface IFaultInjection
{
    /// <summary>As in results, e.g. <c>delay:+10%</c>.</summary>
    string Name { get; }

    /// <summary>Whether it lies in the store, which reaches an engine in this process only. Default: no.</summary>
    bool IsInStore => false;

    /// <summary>The fault for one measurement.</summary>
    IPlantedFault Plant();
}
