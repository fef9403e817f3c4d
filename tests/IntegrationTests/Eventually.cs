using System.Globalization;

namespace IntegrationTests;

/// <summary>Waits for what other threads or processes bring about.</summary>
internal static class Eventually
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    /// <summary>Returns when the condition holds; after 30 s the test fails with what was waited for.</summary>
    internal static async Task HoldsAsync(Func<bool> condition, string what)
    {
        var cancel = Cancel;
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        deadline.CancelAfter(Patience);
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(5));
        while (!condition())
        {
            try
            {
                await timer.WaitForNextTickAsync(deadline.Token);
            }
            catch (OperationCanceledException) when (!cancel.IsCancellationRequested)
            {
                Assert.Fail(string.Create(CultureInfo.InvariantCulture, $"Waited {Patience.TotalSeconds} s in vain for {what}."));
            }
        }
    }
}
