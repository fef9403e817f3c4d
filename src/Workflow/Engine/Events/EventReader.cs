using System.Runtime.CompilerServices;

namespace Workflow.Engine.Events;

/// <summary>Merges the streams of an engine for one reader.</summary>
internal static class EventReader
{
    private const int BatchSize = 256;

    public static async IAsyncEnumerable<PositionedEvent> ReadAsync(
        IReadOnlyList<EventLog> logs,
        ReaderSignal anyGrew,
        EventPosition position,
        Func<EventPosition, ValueTask<EventBegin>> locate,
        Func<IDisposable?> follow,
        CancellationToken stop,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        using var both = CancellationTokenSource.CreateLinkedTokenSource(stop, cancellationToken);
        using var following = follow();
        using var wait = new ReaderWait(anyGrew, both.Token);
        (position, var lost) = await locate(position);
        while (!stop.IsCancellationRequested)
        {
            var found = false;
            var version = anyGrew.Version;
            foreach (var log in logs)
            {
                // Read from memory without a list: thousands of readers take one event at a time.
                for (var read = 0; read < BatchSize && log.TryReadNext(position, out var next); read++)
                {
                    found = true;
                    position = next.Position;
                    yield return lost == 0 ? next : next with { Missed = next.Missed + lost };
                    lost = 0;
                }

                if (log.Last <= position[log.Stream])
                {
                    continue;
                }

                foreach (var (sequence, next) in await log.ReadAsync(position[log.Stream], BatchSize, both.Token))
                {
                    found = true;
                    var missed = sequence - position[log.Stream] - 1;
                    position = position.With(log.Stream, sequence);
                    yield return new(next, position, missed + lost);
                    lost = 0;
                }
            }

            if (!found)
            {
                await wait.ForAsync(version);
            }
        }
    }
}
