namespace UnitTests.LoadTesting.Tool;

[Collection(Load.TimedCollection.Name)]
public sealed class SweepCommandTests : ToolTests
{
    [Fact]
    public async Task Sweep_without_an_address_measures_an_empty_service()
    {
        var code = await RunAsync(
            "sweep", "--workers", "2", "--seconds", "1", "--rounds", "1", "--senders", "lean", "--markdown",
            PathOf("out/s.md"), "--html",
            PathOf("out/s.html"));

        Assert.Equal(0, code);
        Assert.Contains("round 1, 2 workers, lean: ", Error.ToString(), StringComparison.Ordinal);
        Assert.Contains("lean: at most ", Out.ToString(), StringComparison.Ordinal);
        Assert.Contains("| lean |", await TextAsync("out/s.md"), StringComparison.Ordinal);
        var page = await TextAsync("out/s.html");
        Assert.Contains("Requests per second by workers", page, StringComparison.Ordinal);
        Assert.DoesNotContain("<script", page, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--senders: 'k6' is not known. Known: lean, ", "--senders", "k6")]
    [InlineData("--beside: 'ab' is not known. Known: wrk, hey, autocannon", "--beside", "ab")]
    [InlineData("--workers: 'ten' is not a whole number", "--workers", "ten")]
    [InlineData("workers '0' are not different numbers", "http://127.0.0.1:1", "--workers", "0")]
    [InlineData("0 rounds are not 1 to 1,000", "http://127.0.0.1:1", "--rounds", "0")]
    [InlineData("ftp://host is not an address", "ftp://host")]
    public async Task Sweep_that_cannot_be_made_says_why(string reason, params string[] arguments)
    {
        Assert.Equal(2, await RunAsync(["sweep", .. arguments]));
        Assert.Contains(reason, Error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Sweep_whose_requests_fail_ends_with_a_finding()
    {
        Assert.Equal(
            1, await RunAsync("sweep", "http://127.0.0.1:1", "--workers", "1", "--seconds", "1", "--rounds", "1",
                "--senders", "lean"));
        Assert.Contains("connectFailed", Out.ToString(), StringComparison.Ordinal);
    }
}
