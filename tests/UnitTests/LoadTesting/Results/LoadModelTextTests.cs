namespace UnitTests.LoadTesting.Results;

public sealed class LoadModelTextTests
{
    [Theory]
    [InlineData("inject 200 per 00:00:01 for 00:00:06, even", "inject 200 per 1s for 6s, even")]
    [InlineData("inject 30 per 00:00:00.5000000 for 00:01:30, even", "inject 30 per 500ms for 90s, even")]
    [InlineData("keep constant 4 for 1.12:00:00", "keep constant 4 for 36h")]
    [InlineData("inject 1 per 00:00:00.0000004 for 00:00:01, even", "inject 1 per 00:00:00.0000004 for 1s, even")]
    [InlineData("closed, 16 users", "closed, 16 users")]
    public void Times_are_short_and_stay_distinct(string recorded, string shown) =>
        Assert.Equal(shown, LoadModelText.Of(recorded));

    [Fact]
    public void Comparison_shows_the_short_text()
    {
        var scenario = Runs.Scenario();

        var difference = Comparability.OfScenarios(
                scenario with { LoadModel = "inject 200 per 00:00:01 for 00:00:06, even" },
                scenario with { LoadModel = "inject 400 per 00:00:01 for 00:00:06, even" })
            .Single(one => one.What == "load model");

        Assert.Equal(
            ("inject 200 per 1s for 6s, even", "inject 400 per 1s for 6s, even"), (difference.First, difference.Other));
    }
}
