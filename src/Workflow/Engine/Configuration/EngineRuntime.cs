namespace Workflow.Engine.Configuration;

/// <summary>
/// What the engine takes from its process: the scheduler of its work, new ids, and the clock of its I/O. A simulation
/// replaces them, so that one thread runs everything in an order that a seed determines.
/// </summary>
internal sealed record EngineRuntime
{
    public static EngineRuntime OfProcess { get; } = new();

    /// <summary>Runs the engine's loops and calls. Default: the thread pool.</summary>
    public TaskScheduler Scheduler { get; init; } = TaskScheduler.Default;

    /// <summary>Paces polling, leases at the start, and replies, whatever clock the engine uses.</summary>
    public TimeProvider IoTime { get; init; } = TimeProvider.System;

    /// <summary>Creates a UUID version 7 for an instant.</summary>
    public Func<DateTimeOffset, Guid> NewId { get; init; } = Ids.Next;

    public Task Run(Func<Task> work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.DenyChildAttach, Scheduler).Unwrap();

    /// <summary>Cancels the source. Its callbacks run in the scheduler, not in the caller.</summary>
    public Task CancelAsync(CancellationTokenSource source) =>
        Task.Factory.StartNew(source.Cancel, CancellationToken.None, TaskCreationOptions.DenyChildAttach, Scheduler);

    /// <summary>
    /// Returns when the task has ended, whatever its outcome. Unlike <see cref="Task.WaitAsync(CancellationToken)"/>,
    /// it continues in the scheduler and not in the thread pool.
    /// </summary>
    public Task WhenEnded(Task task, CancellationToken cancellationToken) => task.ContinueWith(
        static _ => { }, cancellationToken, TaskContinuationOptions.DenyChildAttach, Scheduler);

    /// <exception cref="TimeoutException">The task took longer, measured by <see cref="IoTime"/>.</exception>
    public async Task<T> WaitAsync<T>(Task<T> task, TimeSpan atMost, CancellationToken cancellationToken)
    {
        using var timeout = new CancellationTokenSource(atMost, IoTime);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, cancellationToken);
        try
        {
            await WhenEnded(task, either.Token);
        }
        catch (OperationCanceledException)
            when (timeout.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw new TimeoutException();
        }

        return await task;
    }
}
