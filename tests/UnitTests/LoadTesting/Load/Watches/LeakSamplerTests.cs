namespace UnitTests.LoadTesting.Load.Watches;

public sealed class LeakSamplerTests
{
    [Fact]
    public async Task Failed_probe_is_read_again()
    {
        var time = new ManualTime();
        var (readings, attempts) = (0, 0);
        var read = new SemaphoreSlim(0);
        var sampler = LeakSampler.Start(
            [
                new("broken", "items", 0, _ => throw new InvalidOperationException("the service is gone")),
                new("restarted", "items", 0, _ => ++attempts == 1
                    ? throw new InvalidOperationException("not yet")
                    : ValueTask.FromResult<double?>(attempts)),
                new("silent", "items", 0, _ => ValueTask.FromResult<double?>(null)),
                new("handles", "handles", 0, _ =>
                {
                    read.Release();
                    return ValueTask.FromResult<double?>(++readings);
                }),
            ],
            time);
        for (var second = 1; second <= 3; second++)
        {
            time.Advance(TimeSpan.FromSeconds(1));
            Assert.True(await read.WaitAsync(TimeSpan.FromSeconds(60), Cancel));
        }

        var series = (await sampler.StopAsync()).ToDictionary(s => s.Probe.Name);

        Assert.Equal(("the service is gone", 3), (series["broken"].Error, series["broken"].Failed));
        Assert.Equal(("not yet", 1), (series["restarted"].Error, series["restarted"].Failed));
        Assert.Equal([2, 3], series["restarted"].Values);
        Assert.Empty(series["silent"].Values);
        Assert.Equal([1, 2, 3], series["handles"].Values);
        Assert.Equal([1, 2, 3], series["handles"].Seconds);
    }
}
