using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Workflow.Engine.Configuration;

/// <summary>
/// What the engine takes from its process: where its work runs, new ids, the clock of its I/O. A simulation puts its own in their place,
/// so that one thread runs everything in an order that a seed decides.
/// </summary>
internal sealed record EngineRuntime
{
    public static EngineRuntime OfProcess { get; } = new();

    /// <summary>Runs the engine's loops and calls. Default: the thread pool.</summary>
    public TaskScheduler Scheduler { get; init; } = TaskScheduler.Default;

    /// <summary>Paces polling, leases at the start and replies, whatever clock the engine has.</summary>
    public TimeProvider IoTime { get; init; } = TimeProvider.System;

    /// <summary>A new UUID version 7 of the instant.</summary>
    public Func<DateTimeOffset, Guid> NewId { get; init; } = Ids.Next;

    public Task Run(Func<Task> work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.DenyChildAttach, Scheduler).Unwrap();

    /// <summary>Cancels, with what was registered called beside the caller.</summary>
    public Task CancelAsync(CancellationTokenSource source) =>
        Task.Factory.StartNew(source.Cancel, CancellationToken.None, TaskCreationOptions.DenyChildAttach, Scheduler);

    /// <summary>
    /// Returns when the task has ended, whatever its outcome. Unlike <see cref="Task.WaitAsync(CancellationToken)"/> it goes on in the
    /// scheduler, not in the thread pool.
    /// </summary>
    public Task EndOf(Task task, CancellationToken cancellationToken) => task.ContinueWith(
        static _ => { }, cancellationToken, TaskContinuationOptions.DenyChildAttach, Scheduler);

    /// <exception cref="TimeoutException">It took longer, in time of I/O.</exception>
    public async Task<T> WaitAsync<T>(Task<T> task, TimeSpan atMost, CancellationToken cancellationToken)
    {
        using var timeout = new CancellationTokenSource(atMost, IoTime);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, cancellationToken);
        try
        {
            await EndOf(task, either.Token);
        }
        catch (OperationCanceledException) when (timeout.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw new TimeoutException();
        }

        return await task;
    }
}

/// <summary>UUIDs of version 7. Their random bytes are fetched for many at once: that is a call of the operating system.</summary>
internal static class Ids
{
    private const int RandomBytes = 10;
    private const int AtOnce = 128;

    [ThreadStatic]
    private static byte[]? s_random;

    [ThreadStatic]
    private static int s_used;

    public static Guid Next(DateTimeOffset instant)
    {
        if (s_random is null || s_used == s_random.Length)
        {
            s_random ??= new byte[AtOnce * RandomBytes];
            RandomNumberGenerator.Fill(s_random);
            s_used = 0;
        }

        Span<byte> id = stackalloc byte[16];
        BinaryPrimitives.WriteInt64BigEndian(id, instant.ToUnixTimeMilliseconds() << 16);
        s_random.AsSpan(s_used, RandomBytes).CopyTo(id[6..]);
        s_used += RandomBytes;
        id[6] = (byte)(0x70 | (id[6] & 0x0F));
        id[8] = (byte)(0x80 | (id[8] & 0x3F));
        return new Guid(id, bigEndian: true);
    }
}
