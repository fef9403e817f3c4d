using System.Collections.Concurrent;
using System.Diagnostics;
using IntegrationTests.Shared.Subjects;
using LoadTesting.Core.Events;
using LoadTesting.Core.Measurement;
using Workflow.Abstractions.Exceptions;
using Workflow.Client;

namespace PerformanceTests.Running;

/// <summary>The operations of one run of a scenario, from the first request to the moment the service is idle again.</summary>
public sealed class Wave(EventAwaiter awaiter, string completionEvent, TimeSpan dueAfter, TimeSpan timeout)
{
    private static readonly TimeSpan DuplicateWatch = TimeSpan.FromMilliseconds(20);

    private readonly ConcurrentQueue<WaveOperation> _operations = new();
    private readonly ConcurrentQueue<EventWait> _others = new();

    /// <summary>How far ahead signals are due.</summary>
    public TimeSpan DueAfter => dueAfter;

    public IReadOnlyCollection<WaveOperation> Operations => _operations;

    /// <summary>Monotonic ticks at which the service was idle after the last completion; 0 before.</summary>
    public long IdleTicks { get; private set; }

    /// <summary>Begins an operation: its key is new, and its completion is awaited from now on.</summary>
    public WaveOperation Begin()
    {
        var key = Guid.CreateVersion7().ToString();
        var operation = new WaveOperation(key, awaiter.Register(completionEvent, key, timeout + dueAfter), Stopwatch.GetTimestamp());
        _operations.Enqueue(operation);
        return operation;
    }

    /// <summary>Awaits one more event of an operation; it is accounted for like the completion.</summary>
    public EventWait AlsoExpect(string eventType, WaveOperation operation)
    {
        var wait = awaiter.Register(eventType, operation.Key, timeout);
        _others.Enqueue(wait);
        return wait;
    }

    /// <summary>Sends the request that makes the operation exist, and keeps what became of it.</summary>
    public async Task SendAsync(WaveOperation operation, Func<Task> send)
    {
        operation.Outcome = SendOutcome.Unknown;
        try
        {
            await send();
            operation.Outcome = SendOutcome.Accepted;
        }
        catch (Exception e) when (IsRefusal(e))
        {
            operation.Outcome = SendOutcome.Refused;
            operation.Completion.Withdraw();
            throw;
        }
    }

    /// <summary>Waits for every completion and then for the service to be idle.</summary>
    public async Task SettleAsync(WorkflowSubject subject, CancellationToken cancellationToken)
    {
        foreach (var wait in _operations.Where(o => o.Outcome != SendOutcome.Refused).Select(o => o.Completion).Concat(_others))
        {
            await wait.Arrival.WaitAsync(cancellationToken);
        }

        IdleTicks = await subject.WaitForIdleAsync(cancellationToken);

        // A duplicate can only be seen by listening on for a moment; this is no part of any phase.
        await awaiter.WaitForQuietAsync(DuplicateWatch, timeout, cancellationToken);
    }

    /// <summary>Operations whose completion was seen, with the ticks of the consumer's callback.</summary>
    public IEnumerable<(WaveOperation Operation, long CompletedTicks)> Completed() => _operations
        .Where(o => o.Completion.Arrival is { IsCompletedSuccessfully: true })
        .Select(o => (Operation: o, Arrival: o.Completion.Arrival.GetAwaiter().GetResult()))
        .Where(o => !o.Arrival.IsLost)
        .Select(o => (o.Operation, o.Arrival.Timestamp));

    /// <summary>A histogram over the completed operations; an end before its start counts as zero.</summary>
    public LatencyHistogram Histogram(Func<WaveOperation, long> from, Func<long, long> to)
    {
        var histogram = new LatencyHistogram();
        foreach (var (operation, completed) in Completed())
        {
            histogram.RecordStopwatchTicks(Math.Max(0, to(completed) - from(operation)));
        }

        return histogram;
    }

    private static bool IsRefusal(Exception error) => error switch
    {
        WorkflowApiException api => !api.OutcomeUnknown && (int)api.Status is >= 400 and < 500 or 503,
        StoreUnavailableException store => !store.OutcomeUnknown,
        WorkflowException => true,
        _ => false,
    };
}
