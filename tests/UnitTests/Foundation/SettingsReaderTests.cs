namespace UnitTests.Foundation;

public sealed class SettingsReaderTests
{
    [Fact]
    public void Missing_setting_is_the_fallback()
    {
        var reader = Reader(("Empty", ""));

        Assert.Equal("a", reader.Choice("Empty", "a", "a", "b"));
        Assert.Equal(
            (null, null, null, false),
            (reader.Text("Empty"), reader.Number("No", 1, 2), reader.Duration("No"), reader.Flag("No")));
        Assert.Empty(reader.List("No"));
        reader.ThrowIfInvalid();
    }

    [Fact]
    public void Settings_are_read_in_their_forms()
    {
        var reader = Reader(
            ("Choice", "B"), ("Number", "-5"), ("Flag", "True"), ("Wait", "9s"), ("Long", "2m"), ("Names", "a, b"),
            ("More:0", " c "), ("More:1", "d"));

        Assert.Equal("b", reader.Choice("Choice", "a", "a", "b"));
        Assert.Equal((-5, true), (reader.Number("Number", -10, 10), reader.Flag("Flag")));
        Assert.Equal(
            (TimeSpan.FromSeconds(9), TimeSpan.FromMinutes(2)), (reader.Duration("Wait"), reader.Duration("Long")));
        Assert.Equal(["a", "b"], reader.List("Names"));
        Assert.Equal(["c", "d"], reader.List("More"));
        reader.ThrowIfInvalid();
    }

    [Fact]
    public void All_errors_are_reported_together()
    {
        var reader =
            Reader(("A:Chioce", "x"), ("Choice", "c"), ("Number", "11"), ("Flag", "yes"), ("Wait", "9 seconds"),
            ("Text", "X"));

        reader.CheckKeys(new Dictionary<string, string[]> { ["A"] = ["Choice", "Other"] });
        reader.Choice("Choice", "a", "a", "b");
        reader.Number("Number", 1, 10);
        reader.Flag("Flag");
        reader.Duration("Wait");
        reader.Text("Text", new Regex("^[a-z]$"), "Use a small letter.");
        reader.Refuse("Something else is wrong.");
        var error = Assert.Throws<InvalidSettingsException>(reader.ThrowIfInvalid);

        Assert.Equal(
            [
                "A:Chioce is not a setting. Known in A: Choice, Other.",
                "Choice is 'c'. Known: a, b.",
                "Number is '11'. Use a whole number from 1 to 10.",
                "Flag is 'yes'. Use true or false.",
                "Wait is '9 seconds'. Use a whole number of at most six digits and a unit, ms, s or m, e.g. 500ms, 9s.",
                "Text is 'X'. Use a small letter.",
                "Something else is wrong.",
            ],
            error.Violations);
        Assert.StartsWith("The configuration has 7 error(s):", error.Message, StringComparison.Ordinal);
    }

    private static SettingsReader Reader(params (string Key, string Value)[] settings)
    {
        var values = settings.ToDictionary(s => s.Key, s => s.Value, StringComparer.OrdinalIgnoreCase);
        return new(
            values.GetValueOrDefault,
            key => values.Keys.Where(k => k.StartsWith(key + ":", StringComparison.OrdinalIgnoreCase))
                .Select(k => k[(key.Length + 1)..].Split(':')[0]));
    }
}
