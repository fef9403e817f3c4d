using System.Threading.Channels;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Waits for the effects of notifications over any transport.</summary>
public static class NotificationWaits
{
    /// <summary>Nothing here takes so long where all is well.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    public static async Task<IReadOnlyList<int>> TakeAsync(Channel<int> woken, int count)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        limit.CancelAfter(Patience);
        var lanes = new List<int>();
        while (lanes.Count < count)
        {
            lanes.Add(await woken.Reader.ReadAsync(limit.Token));
        }

        return lanes;
    }

    public static async Task UntilAsync(Func<bool> isSo)
    {
        var since = TimeProvider.System.GetTimestamp();
        while (!isSo())
        {
            Assert.True(TimeProvider.System.GetElapsedTime(since) < Patience, "it did not come about");
            await Task.Yield();
        }
    }
}
