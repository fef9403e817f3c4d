namespace IntegrationTests.Shared.Running;

/// <summary>Looks again and again at what other threads or processes bring about and no event reports.</summary>
public static class Eventually
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(60);

    /// <summary>Returns when the condition holds; after 60 s the test fails with what was waited for.</summary>
    public static Task HoldsAsync(Func<bool> condition, string what) =>
        BecomesAsync(() => Task.FromResult(condition()), holds => holds, _ => what);

    /// <summary>Returns what was seen last, once it is as wanted; after 60 s the test fails with what was waited for.</summary>
    public static async Task<T> BecomesAsync<T>(Func<Task<T>> look, Func<T, bool> isWanted, Func<T, string> what)
    {
        var since = TimeProvider.System.GetTimestamp();
        while (true)
        {
            var seen = await look();
            if (isWanted(seen))
            {
                return seen;
            }

            Assert.True(TimeProvider.System.GetElapsedTime(since) < Timeout, $"Waited {Timeout.TotalSeconds} s in vain for {what(seen)}.");
            await Task.Delay(TimeSpan.FromMilliseconds(5), Cancel);
        }
    }
}
