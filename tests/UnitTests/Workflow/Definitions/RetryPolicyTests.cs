namespace UnitTests.Workflow.Definitions;

public sealed class RetryPolicyTests
{
    [Theory]
    [InlineData(1, 2, 1, 1)]
    [InlineData(1, 2, 2, 2)]
    [InlineData(1, 2, 5, 16)]
    [InlineData(0.5, 1, 1_000, 0.5)]
    [InlineData(0, 100, 1_000, 0)]
    [InlineData(1, 100, 1_000_000, 86_400)]
    [InlineData(172_800, 2, 3, 172_800)]
    public void Pause_grows_by_the_factor_up_to_a_day(
        double initialSeconds, double backoff, int failed, double expectedSeconds)
    {
        var policy = new RetryPolicy(int.MaxValue, TimeSpan.FromSeconds(initialSeconds), backoff);

        Assert.Equal(TimeSpan.FromSeconds(expectedSeconds), policy.PauseAfter(failed));
    }
}
