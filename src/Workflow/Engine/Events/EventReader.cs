using System.Runtime.CompilerServices;
using Workflow.Abstractions;

namespace Workflow.Engine.Events;

/// <summary>Merges the streams of an engine for one reader.</summary>
internal static class EventReader
{
    private const int BatchSize = 256;

    public static async IAsyncEnumerable<PositionedEvent> ReadAsync(
        IReadOnlyList<EventLog> logs,
        EventPosition position,
        Func<IDisposable?> follow,
        CancellationToken stop,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        using var both = CancellationTokenSource.CreateLinkedTokenSource(stop, cancellationToken);
        using var following = follow();
        while (!stop.IsCancellationRequested)
        {
            var found = false;
            Task[] changes = [.. logs.Select(l => l.Changed)];
            foreach (var log in logs)
            {
                foreach (var (sequence, next) in await log.ReadAsync(position[log.Stream], BatchSize, both.Token).ConfigureAwait(false))
                {
                    found = true;
                    position = position.With(log.Stream, sequence);
                    yield return new(next, position);
                }
            }

            if (!found)
            {
                await Task.WhenAny(changes).WaitAsync(both.Token).ConfigureAwait(false);
            }
        }
    }
}
