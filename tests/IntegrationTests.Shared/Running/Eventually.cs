namespace IntegrationTests.Shared.Running;

/// <summary>Looks again and again at what other threads or processes bring about and no event reports.</summary>
public static class Eventually
{
    /// <summary>
    /// Longest wait of a test for what must happen: 3 minutes. Not an assertion: on a slow and busy machine, a broker
    /// takes a minute to start.
    /// </summary>
    public static readonly TimeSpan Deadline = TimeSpan.FromMinutes(3);

    /// <summary>Returns when the condition holds. After three minutes the test fails and names the condition.</summary>
    public static Task HoldsAsync(Func<bool> condition, string what) =>
        BecomesAsync(() => Task.FromResult(condition()), holds => holds, _ => what);

    /// <summary>
    /// Returns the last value once the condition holds. After three minutes the test fails and names the condition.
    /// </summary>
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

            Assert.True(
                TimeProvider.System.GetElapsedTime(since) < Deadline,
                $"Waited {Deadline.TotalSeconds} s in vain for {what(seen)}.");
            await Task.Delay(TimeSpan.FromMilliseconds(5), Cancel);
        }
    }
}
