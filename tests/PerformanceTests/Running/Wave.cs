using System.Collections.Concurrent;
using System.Diagnostics;
using LoadTesting.Core.Load.Events;
using PerformanceTesting.Subjects;
using PerformanceTests.Scenarios;
using Workflow.Abstractions.Exceptions;
using Workflow.Client;

namespace PerformanceTests.Running;

/// <summary>The operations of one run of a scenario, from the first request to the moment the service is idle again.</summary>
public sealed class Wave(EventAwaiter awaiter, WaveOptions options)
{
    private static readonly TimeSpan DuplicateWatch = TimeSpan.FromMilliseconds(20);

    private readonly ConcurrentDictionary<long, WaveOperation> _open = new();
    private readonly ConcurrentQueue<EventWait> _others = new();
    private long _begun;

    /// <summary>How far ahead signals are due.</summary>
    public TimeSpan DueAfter => options.DueAfter;

    /// <summary>Operations that were asked for; 0 where a time ends the wave and not a number.</summary>
    public int Size => options.Size;

    /// <summary>What the operations came to; complete once the wave has settled.</summary>
    public WaveTally Tally { get; } = new(options.DueAfter, options.Shape);

    /// <summary>Begins an operation: its key is new, and its completion is awaited from now on.</summary>
    public WaveOperation Begin()
    {
        var key = Guid.CreateVersion7().ToString();
        var wait = awaiter.Register(options.CompletionEvent, key, options.Timeout + DueAfter);
        var operation = new WaveOperation(Interlocked.Increment(ref _begun) - 1, key, wait, Stopwatch.GetTimestamp());
        _open[operation.Number] = operation;
        return operation;
    }

    /// <summary>An operation that was begun and is not over, by its place in the wave; null where there is none.</summary>
    public WaveOperation? Operation(long number) => _open.GetValueOrDefault(number);

    /// <summary>Awaits one more event of an operation; it is accounted for like the completion.</summary>
    public EventWait AlsoExpect(string eventType, WaveOperation operation)
    {
        var wait = awaiter.Register(eventType, operation.Key, options.Timeout);
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

    /// <summary>
    /// The operation's completion was seen or is lost. Where each operation is a wave of its own this waits for the service to be idle; where
    /// operations follow one another nothing is kept of it; where they are one wave it is kept until that settles.
    /// </summary>
    public async Task EndAsync(WaveOperation operation, WorkflowSubject subject, CancellationToken cancellationToken)
    {
        if (options.Shape == WaveShape.EachAlone)
        {
            operation.IdleTicks = await subject.WaitForIdleAsync(cancellationToken);
        }

        if (options.Shape != WaveShape.Together)
        {
            Close(operation);
        }

        if (options.Shape == WaveShape.EachAlone)
        {
            Tally.AddIdle(operation.IdleTicks);
        }
    }

    /// <summary>Waits for every completion and then for the service to be idle.</summary>
    public async Task SettleAsync(WorkflowSubject subject, CancellationToken cancellationToken)
    {
        foreach (var wait in _open.Values.Where(o => o.Outcome == SendOutcome.Accepted).Select(o => o.Completion).Concat(_others))
        {
            await wait.Arrival.WaitAsync(cancellationToken);
        }

        var idle = await subject.WaitForIdleAsync(cancellationToken);
        await GiveUnknownUpAsync(cancellationToken);
        foreach (var operation in _open.Values.OrderBy(CompletedTicks))
        {
            operation.IdleTicks = idle;
            Close(operation);
        }

        if (options.Shape != WaveShape.EachAlone)
        {
            Tally.AddIdle(idle);
        }

        // A duplicate can only be seen by listening on for a moment; this is no part of any phase.
        await awaiter.WaitForQuietAsync(DuplicateWatch, options.Timeout, cancellationToken);
    }

    /// <summary>Nobody can tell whether an operation without an answer began. While the service is idle its completion has come or will not, and none is lost.</summary>
    private async Task GiveUnknownUpAsync(CancellationToken cancellationToken)
    {
        var unknown = _open.Values.Where(o => o.Outcome == SendOutcome.Unknown).ToArray();
        if (unknown.Length > 0)
        {
            // An event that the service has handed out is on its way for a moment.
            await Task.WhenAny(Task.WhenAll(unknown.Select(o => o.Completion.Arrival)), Task.Delay(DuplicateWatch, cancellationToken));
            Array.ForEach(unknown, o => o.Completion.Withdraw());
        }
    }

    private void Close(WaveOperation operation)
    {
        if (_open.TryRemove(operation.Number, out _))
        {
            Tally.Add(operation);
        }
    }

    /// <summary>When the completion was seen; last where it was not.</summary>
    private static long CompletedTicks(WaveOperation operation) =>
        operation.Completion.Arrival is { IsCompletedSuccessfully: true } ended && ended.GetAwaiter().GetResult() is { IsLost: false } arrival
            ? arrival.Timestamp
            : long.MaxValue;

    private static bool IsRefusal(Exception error) => error switch
    {
        WorkflowApiException api => !api.OutcomeUnknown && (int)api.Status is >= 400 and < 500 or 503,
        StoreUnavailableException store => !store.OutcomeUnknown,
        WorkflowException => true,
        _ => false,
    };
}
