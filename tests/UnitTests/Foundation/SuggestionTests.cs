namespace UnitTests.Foundation;

public sealed class SuggestionTests
{
    [Theory]
    [InlineData("timout", "timeout")]
    [InlineData("timeouts", "timeout")]
    [InlineData("timeaut", "timeout")]
    [InlineData("tiemout", "timeout")]
    [InlineData("TIMEOUT", "timeout")]
    [InlineData("emailx", "email")]
    [InlineData("tmot", null)]
    [InlineData("setting", null)]
    [InlineData("sxy", null)]
    [InlineData("sett", "set")]
    [InlineData("st", null)]
    [InlineData("", null)]
    public void Closest_is_within_two_edits_and_less_than_half_of_the_name(string name, string? expected)
    {
        Assert.Equal(expected, Suggestion.Closest(name, ["set", "mail", "email", "timeout"]));
        Assert.Equal(expected is null ? "" : $" Did you mean '{expected}'?",
            Suggestion.For(name, ["set", "mail", "email", "timeout"]));
    }

    [Theory]
    [InlineData("sitting", "Sitting", "sittin", "isttign", "kitten", "soak")]
    [InlineData("", "soak", "kitten", "sittin", "isttign", "Sitting")]
    public void Ranked_is_by_distance_and_else_as_given(string name, params string[] expected) =>
        Assert.Equal(expected, Suggestion.Ranked(name, ["kitten", "soak", "isttign", "sittin", "Sitting"]));

    [Fact]
    public void Longest_names_are_near_only_to_themselves()
    {
        string[] candidates = [new string('a', 129), "soak"];

        Assert.Null(Suggestion.Closest(new string('a', 130), candidates));
        Assert.Equal(candidates[0], Suggestion.Closest(new string('a', 129), candidates));
    }
}
