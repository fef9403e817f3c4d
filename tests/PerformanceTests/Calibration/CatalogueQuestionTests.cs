namespace PerformanceTests.Calibration;

/// <summary>What <c>wfperf run --list</c> asks of each scenario is about that scenario.</summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class CatalogueQuestionTests
{
    private static readonly IReadOnlyDictionary<string, string> Questions =
        new PerformanceCatalogue().Scenarios.ToDictionary(scenario => scenario.Name, scenario => scenario.Question);

    [Fact]
    public void Question_agrees_with_its_numbers() => Assert.All(Questions, row =>
    {
        Assert.EndsWith("?", row.Value, StringComparison.Ordinal);
        Assert.DoesNotMatch(
            @"\b1 (nodes|users|requests|streams)\b|\b([02-9]|[1-9][0-9]+) (node|user|request|stream)\b", row.Value);
    });

    [Theory]
    [InlineData("mixed-vu50-http", "linear, forking and waiting")]
    [InlineData("linear-vu50-http", "50 users")]
    [InlineData("linear-vu2000-http", "2,000 users")]
    [InlineData("events-vu500-http", "500 users")]
    [InlineData("signal-roundtrip-nodes-1-http", "one node")]
    [InlineData("signal-roundtrip-nodes-4-http", "4 nodes")]
    [InlineData("signal-roundtrip-capacity-c1", "1 request at a time")]
    [InlineData("signal-roundtrip-capacity-c16-xl-http", "16 requests at a time")]
    public void Question_names_what_sets_its_scenario_apart(string name, string expected) =>
        Assert.Contains(expected, Questions[name], StringComparison.Ordinal);

    [Fact]
    public void Mix_does_not_ask_what_one_of_its_kinds_asks() => Assert.DoesNotContain(
        Questions["mixed-vu50-http"],
        new[] { "linear", "parallel", "events" }.Select(kind => Questions[$"{kind}-vu50-http"]));
}
