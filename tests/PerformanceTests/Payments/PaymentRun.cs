using System.Diagnostics;
using LoadTesting.Core.Load;
using LoadTesting.Core.Load.Events;

namespace PerformanceTests.Payments;

/// <summary>The operations of one run of a payment scenario: the means they have, and what became of them.</summary>
internal sealed class PaymentRun(PaymentClient client, EventAwaiter awaiter)
{
    private readonly long _requestsBefore = client.Requests;
    private readonly Lock _gate = new();
    private long _begun;
    private long _accepted;
    private long _refused;
    private long _completed;

    public PaymentClient Client => client;

    /// <summary>Waits by event type and correlation key.</summary>
    public EventAwaiter Awaiter => awaiter;

    /// <summary>Operations that were answered as they should be.</summary>
    public long Accepted => Interlocked.Read(ref _accepted);

    /// <summary>Operations that were answered otherwise.</summary>
    public long Refused => Interlocked.Read(ref _refused);

    /// <summary>Operations without an answer.</summary>
    public long Unknown => Interlocked.Read(ref _begun) - Accepted - Refused;

    /// <summary>Operations that came to their end.</summary>
    public long Completed => Interlocked.Read(ref _completed);

    /// <summary>HTTP requests of all operations.</summary>
    public long Requests => client.Requests - _requestsBefore;

    /// <summary>Sends the request that an operation begins with, and keeps what became of it.</summary>
    public async Task<PaymentAnswer> SendAsync(Func<PaymentClient, Task<PaymentAnswer>> send, Func<PaymentAnswer, bool> isExpected)
    {
        Interlocked.Increment(ref _begun);
        var answer = await send(client);
        Interlocked.Increment(ref isExpected(answer) ? ref _accepted : ref _refused);
        return answer;
    }

    /// <summary>Latencies from the intended start, in order of completion, milliseconds; read once the run is over.</summary>
    public CompletionSeries Latencies { get; } = new();

    /// <summary>An operation came to its end, at these monotonic ticks.</summary>
    public void Complete(IScenarioContext context, long endTicks)
    {
        lock (_gate)
        {
            _completed++;
            Latencies.Add(Stopwatch.GetElapsedTime(context.IntendedTimestamp, endTicks).TotalMilliseconds);
        }
    }
}
