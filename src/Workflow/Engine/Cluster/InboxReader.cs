using System.Runtime.ExceptionServices;

namespace Workflow.Engine.Cluster;

/// <summary>
/// Reads the inboxes of the lanes that run here: at an interval while there are other nodes, and immediately after a
/// notification. A lane with a large backlog is skipped until it has caught up. While events are read, it also reads
/// the ends of the streams of other nodes' lanes.
/// </summary>
internal sealed class InboxReader(
    IClusterStore store, LaneSlots slots, TimeSpan interval, long maxSize, EngineRuntime runtime,
    ILogger logger) : IAsyncDisposable
{
    private const int MaxWaiting = 1_024;
    private const int MaxRead = 2_048;

    /// <summary>The number of messages to read while their size is unknown.</summary>
    private const int FirstRead = 64;
    private readonly TimedAutoResetEvent _wake = new(runtime.IoTime);
    private readonly CancellationTokenSource _stop = new();
    private Task _loop = Task.CompletedTask;
    private long _taken;
    private int _readers;
    private long _averageSize = Math.Max(1, maxSize / FirstRead);
    private volatile bool _notified;
    private volatile bool _hasOthers;

    /// <summary>Whether there were other nodes at the last renewal.</summary>
    public bool HasOthers
    {
        get => _hasOthers;
        set => _hasOthers = value;
    }

    /// <summary>The lanes that run here and own partitions.</summary>
    private IEnumerable<Lane> Lanes => slots.Running.Where(l => l.Assignment.Index < slots.Count);

    public long Taken => Interlocked.Read(ref _taken);

    public void Start() => _loop = runtime.Run(RunAsync);

    /// <summary>
    /// There may be a message in the inbox of this lane, or of any lane if the number is negative. Returns immediately.
    /// </summary>
    public void Notify(int lane)
    {
        if (lane < 0 || (lane < slots.Count && slots[lane] is not null))
        {
            _notified = true;
            _wake.Set();
        }
    }

    /// <summary>Records that events are read until the result is disposed.</summary>
    public IDisposable Follow()
    {
        Interlocked.Increment(ref _readers);
        _wake.Set();
        return new Reading(this);
    }

    public async ValueTask DisposeAsync()
    {
        await runtime.CancelAsync(_stop);
        await _loop.ConfigureAwait(
            ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        _stop.Dispose();
    }

    private async Task RunAsync()
    {
        while (true)
        {
            await _wake.WaitAsync(interval, _stop.Token);
            if (_notified || HasOthers || Lanes.Any(l => l.Inbox.IsBehind))
            {
                _notified = false;
                await TryAsync(ReadAsync, Log.InboxFailed);
            }

            if (Volatile.Read(ref _readers) > 0 && HasOthers)
            {
                await TryAsync(FollowAsync, Log.StreamsFailed);
            }
        }
    }

    private async Task TryAsync(Func<Task> work, Action<ILogger, Exception> log)
    {
        try
        {
            await work();
        }
        catch (Exception e) when (!_stop.IsCancellationRequested)
        {
            log(logger, e);
        }
    }

    private async Task ReadAsync()
    {
        var lanes = Lanes.Where(l => l.Inbox.Waiting < MaxWaiting && l.HasRoom).ToArray();
        if (lanes.Length == 0)
        {
            return;
        }

        // Known messages are read again. The number of further messages is limited by the average size of the last
        // read.
        var known = lanes.Sum(l => l.Inbox.Waiting);
        var limit = (int)Math.Min(MaxRead, known + Math.Clamp(maxSize / _averageSize, 1, MaxRead));
        Array.ForEach(lanes, l => l.Inbox.BeginReading());
        IReadOnlyList<Message>? rows = null;
        Exception? failure = null;
        var taken = Taken;
        try
        {
            var read = await store.ReadInboxAsync([.. lanes.Select(l => l.Assignment)], limit, _stop.Token);
            rows = [.. read.Select(Message.Of)];
            if (rows.Count > 0)
            {
                _averageSize = Math.Max(1, rows.Sum(r => (long)r.Body.Length) / rows.Count);
            }
        }
        finally
        {
            foreach (var lane in lanes)
            {
                failure = await PostAsync(lane, rows ?? [], isComplete: rows?.Count < limit) ?? failure;
            }
        }

        if (failure is not null)
        {
            ExceptionDispatchInfo.Throw(failure);
        }

        if (rows.Count == limit && Taken > taken)
        {
            _notified = true;
            _wake.Set();
        }
    }

    /// <returns>The error of a lane that cannot take its messages; null if it can. The other lanes take theirs
    /// nevertheless.</returns>
    private async Task<Exception?> PostAsync(Lane lane, IReadOnlyList<Message> rows, bool isComplete)
    {
        var (fresh, load) = lane.Inbox.EndReading(rows.Where(r => lane.Assignment.Owns(r.Partition)));

        // Count the messages before they are posted, so that an observer of their effects finds them counted.
        Interlocked.Add(ref _taken, fresh.Count);
        try
        {
            await lane.PostMessagesAsync(fresh, load, isComplete, _stop.Token);
            return null;
        }
        catch (Exception e)
        {
            // A definition could not be loaded. The next read finds the messages again.
            Interlocked.Add(ref _taken, -fresh.Count);
            lane.Inbox.Forget(fresh);
            return e;
        }
    }

    private async Task FollowAsync()
    {
        foreach (var (stream, last) in await store.ReadStreamEndsAsync(_stop.Token))
        {
            if (stream < slots.Logs.Count)
            {
                slots.Logs[stream].Advance(last);
            }
        }
    }

    private sealed class Reading(InboxReader reader) : IDisposable
    {
        private int _ended;

        public void Dispose()
        {
            if (Interlocked.Exchange(ref _ended, 1) == 0)
            {
                Interlocked.Decrement(ref reader._readers);
            }
        }
    }
}
