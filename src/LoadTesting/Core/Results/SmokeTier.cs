namespace LoadTesting.Core.Results;

/// <summary>The tier in which times are reported and fail nothing.</summary>
public static class SmokeTier
{
    /// <summary>Of this suite, and of a suite of your own.</summary>
    private static readonly string[] Names = ["WorkflowPerfSmoke", "Smoke"];

    /// <param name="tier">Value of the trait <c>Category</c>.</param>
    public static bool Is(string tier) => Names.Contains(tier);
}
