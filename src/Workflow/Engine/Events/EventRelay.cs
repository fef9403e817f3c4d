using Microsoft.Extensions.Logging;
using Workflow.Abstractions.Events;
using Workflow.Contracts.Events;

namespace Workflow.Engine.Events;

/// <summary>Carries one stream to one publisher, in order, repeating what fails with a growing pause.</summary>
internal sealed class EventRelay(EventLog log, IEventPublisher publisher, TimeProvider time, ILogger logger, Action progressed)
{
    private const int BatchSize = 256;
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(5);

    private long _published;

    public long Published => Interlocked.Read(ref _published);

    public async Task RunAsync(long publishedSequence, CancellationToken cancellationToken)
    {
        Interlocked.Exchange(ref _published, publishedSequence);
        while (true)
        {
            await log.WaitAsync(Published).WaitAsync(cancellationToken).ConfigureAwait(false);
            var events = await log.ReadAsync(Published, BatchSize, cancellationToken).ConfigureAwait(false);
            foreach (var (sequence, next) in events)
            {
                await PublishAsync(next, cancellationToken).ConfigureAwait(false);
                Interlocked.Exchange(ref _published, sequence);
            }

            if (events.Count == 0)
            {
                // Trimmed from the store before they were published: nothing is left to carry up to the end known now.
                Interlocked.Exchange(ref _published, log.Last);
                Log.EventsTrimmed(logger, log.Stream);
            }

            progressed();
        }
    }

    private async Task PublishAsync(IntegrationEvent next, CancellationToken cancellationToken)
    {
        for (var pause = FirstPause; ; pause = pause * 2 > LongestPause ? LongestPause : pause * 2)
        {
            try
            {
                await publisher.PublishAsync(Stamp(next), cancellationToken).ConfigureAwait(false);
                return;
            }
            catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
            {
                Log.PublishFailed(logger, e, next.Id, pause.TotalMilliseconds);
                await Task.Delay(pause, time, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    /// <summary>After a recovery the commit time is unknown, and so is what follows it.</summary>
    private IntegrationEvent Stamp(IntegrationEvent next) => next.Timestamps.CommittedTicks is null
        ? next
        : next with { Timestamps = next.Timestamps with { PublishedUtc = time.GetUtcNow(), PublishedTicks = time.GetTimestamp() } };
}
