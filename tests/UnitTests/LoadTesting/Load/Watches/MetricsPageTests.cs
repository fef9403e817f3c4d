namespace UnitTests.LoadTesting.Load.Watches;

public sealed class MetricsPageTests
{
    [Fact]
    public void Samples_without_labels_are_read_and_the_rest_is_left_out()
    {
        var page = MetricsPage.Read(
            "# HELP a b\r\nstarted_total 7\r\n\nsize_bytes 1.5e3 1700000000\nlane_depth{lane=\"1\"} 4\n");

        Assert.Equal(new Dictionary<string, double> { ["started_total"] = 7, ["size_bytes"] = 1500 }, page);
        Assert.Equal(7, MetricsPage.Value(page, "started_total"));
        Assert.Contains(
            "'ended_total'", Assert.Throws<FormatException>(() => MetricsPage.Value(page, "ended_total")).Message,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("<html>")]
    [InlineData("{\"status\":\"up\"} ok\nstarted_total many")]
    [InlineData("started_total")]
    public void Page_of_something_else_is_refused_with_its_line(string page)
    {
        var line = page.Split('\n')[^1];

        Assert.Contains($"'{line}', which is not a sample",
            Assert.Throws<FormatException>(() => MetricsPage.Read(page)).Message, StringComparison.Ordinal);
    }
}
