using System.Threading.Channels;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Waits for the effects of notifications over any transport.</summary>
public static class NotificationWaits
{
    /// <summary>Longest wait for the effect of a notification.</summary>
    public static readonly TimeSpan Patience = Eventually.Deadline;

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

    public static Task UntilAsync(Func<bool> isSo) => Eventually.HoldsAsync(isSo, "the effect of a notification");
}
