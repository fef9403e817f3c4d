namespace PerformanceTests.Scenarios;

/// <summary>The values of the trait <c>Category</c> that select a tier.</summary>
public static class TierNames
{
    public const string Trait = "Category";

    public const string Smoke = "WorkflowPerfSmoke";
}
