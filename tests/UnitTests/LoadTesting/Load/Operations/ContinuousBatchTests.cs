using System.Diagnostics;
using System.Runtime.CompilerServices;
using LoadTesting.Core.Load.Events;

namespace UnitTests.LoadTesting.Load.Operations;

/// <summary>During hours of operations nothing is kept of one that is over, however it ended.</summary>
public sealed class ContinuousBatchTests : IDisposable
{
    private const string Completed = "Completed";
    private readonly EventAwaiter _awaiter = new();
    private readonly OperationBatch _batch;

    public ContinuousBatchTests() => _batch = new(_awaiter, new()
    {
        CompletionEvent = Completed,
        Shape = BatchShape.Continuous,
        WaitForIdleAsync = (_, _) => Task.FromResult(Stopwatch.GetTimestamp()),
        IsRefusal = error => error is NotSupportedException,
    });

    [Fact]
    public async Task Refused_operation_is_over()
    {
        for (var number = 0; number < 1_000; number += 2)
        {
            await _batch.SendAsync(_batch.Begin(), () => Task.FromResult(false), isAccepted: answer => answer);
            await Assert.ThrowsAsync<NotSupportedException>(
                () => SendAsync(_batch.Begin(), () => throw new NotSupportedException()));
        }

        Assert.Equal((null, null), (_batch.Find(0), _batch.Find(999)));
        Assert.Equal(1_000, _batch.Tally.Count(SendOutcome.Refused));
        await _batch.SettleAsync(Cancel);
        Assert.Equal((1_000, 0), (_batch.Tally.Count(SendOutcome.Refused), _batch.Tally.Completed));
    }

    [Fact]
    public async Task Operation_with_a_failed_request_waits_for_its_completion()
    {
        var unanswered = _batch.Begin();
        await Assert.ThrowsAsync<TimeoutException>(() => SendAsync(unanswered, () => throw new TimeoutException()));
        _batch.Leave(unanswered);
        var unpublished = await AcceptedAsync();
        _batch.Leave(unpublished);
        Assert.Equal((unanswered, unpublished), (_batch.Find(0), _batch.Find(1)));

        _awaiter.Observe(Completed, unanswered.Key);
        _awaiter.Observe(Completed, unpublished.Key);
        _batch.Leave(await AcceptedAsync());

        Assert.Equal((null, null), (_batch.Find(0), _batch.Find(1)));
        Assert.Equal((2, 2), (_batch.Tally.Count(SendOutcome.Accepted), _batch.Tally.Completed));
    }

    [Fact]
    public async Task Wait_for_one_more_event_ends_with_the_event()
    {
        var waits = Enumerable.Range(0, 100).Select(_ => OneMore()).ToList();
        var last = _batch.Begin();
        _awaiter.Observe(Completed, last.Key);
        var open = _batch.Expect("more", last);
        _batch.Expect("refused", last).Withdraw();
        GC.Collect();
        Assert.DoesNotContain(waits, wait => wait.IsAlive);

        var settling = _batch.SettleAsync(Cancel);
        Assert.False(settling.IsCompleted);
        _awaiter.Observe("more", last.Key);
        await settling;
        Assert.True(open.Arrival.IsCompletedSuccessfully);
    }

    public void Dispose() => _awaiter.Dispose();

    private async Task<Operation> AcceptedAsync()
    {
        var operation = _batch.Begin();
        await SendAsync(operation, () => Task.FromResult<IResponse>(Response.Ok()));
        return operation;
    }

    private Task SendAsync(Operation operation, Func<Task<IResponse>> send) => _batch.SendAsync(operation, send);

    /// <summary>Apart, so that no local of a test keeps the wait alive.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private WeakReference OneMore()
    {
        var operation = _batch.Begin();
        var wait = _batch.Expect("more", operation);
        _awaiter.Observe("more", operation.Key);
        _awaiter.Observe(Completed, operation.Key);
        _batch.Complete(operation, Stopwatch.GetTimestamp());
        return new(wait);
    }
}
