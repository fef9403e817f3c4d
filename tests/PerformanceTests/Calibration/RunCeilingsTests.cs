namespace PerformanceTests.Calibration;

/// <summary>A run measures a ceiling once, when something comes that it limits.</summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class RunCeilingsTests(RunFixture run)
{
    private readonly RunCeilings _ceilings = new();

    [Fact]
    public async Task Empty_requests_are_measured_before_the_first_http_scenario()
    {
        var inProcess = await AddAsync(HostingKind.InProcess);
        var overHttp = await AddAsync(HostingKind.Http);

        Assert.Null(inProcess!.EmptyHttpPerSecond);
        Assert.Contains(
            inProcess.Notes, note => note.StartsWith("emptyHttpPerSecond is null", StringComparison.Ordinal));
        Assert.True(overHttp!.EmptyHttpPerSecond > HttpCeiling.Clients, $"{overHttp.EmptyHttpPerSecond} requests/s");
        Assert.DoesNotContain(
            overHttp.Notes, note => note.StartsWith("emptyHttpPerSecond is null", StringComparison.Ordinal));
        Assert.Contains(HttpCeiling.Method, overHttp.Notes);
    }

    [Fact]
    public async Task What_is_known_is_not_measured_again()
    {
        Assert.NotNull(await AddAsync(HostingKind.Http));

        Assert.Null(await AddAsync(HostingKind.Http));
        Assert.Null(await AddAsync(HostingKind.InProcess));
    }

    private async Task<CeilingsResult?> AddAsync(HostingKind hosting)
    {
        var cancel = Cancel;
        return await _ceilings.AddAsync(await run.Catalog.OpenAsync("memory", cancel), hosting, broker: null, cancel);
    }
}
