using Workflow.Abstractions.Activities;

namespace Workflow.Engine.Commands;

/// <summary>
/// What the handlers of a lane share: the command at work with its time, new ids, the open batch, and one another. A load makes a new one.
/// Single-threaded, without I/O.
/// </summary>
internal sealed class LaneContext(ILaneHost host, WorkflowEngineOptions options, TimeProvider time, EngineRuntime runtime)
{
    private readonly Dictionary<Type, object> _handlers = [];
    private readonly string _bootId = BootId.Current;
    private readonly JsonBuffer _json = new();
    private long _nowTicks;

    public ILaneHost Host => host;
    public WorkflowEngineOptions Options => options;

    /// <summary>The command at work.</summary>
    public LaneCommand Command { get; private set; } = null!;

    /// <summary>When it was begun. The clock is read once for a command.</summary>
    public DateTimeOffset Now { get; private set; }

    public CommandBatch Batch { get; private set; } = new();
    public IdempotencyKeys Keys { get; } = new(options.Retention.Keys, time);

    /// <summary>The last event of the lane's stream.</summary>
    public long LastSequence { get; set; }

    /// <summary>Adds a handler, which others then find by its type.</summary>
    public void Register<T>(T handler)
        where T : class => _handlers.Add(typeof(T), handler);

    public T Handler<T>()
        where T : class => (T)_handlers[typeof(T)];

    /// <summary>A command begins: it belongs to the open batch.</summary>
    public void Begin(LaneCommand command)
    {
        Command = command;
        Now = time.GetUtcNow();
        _nowTicks = time.GetTimestamp();
        Batch.Commands.Add(command);
    }

    public CommandBatch TakeBatch()
    {
        var batch = Batch;
        Batch = new();
        return batch;
    }

    /// <summary>A new UUID version 7.</summary>
    public Guid NewId() => runtime.NewId(Now);

    /// <summary>The last position that was given or observed.</summary>
    public long LastPosition { get; private set; }

    /// <summary>A position after all that were given or observed before.</summary>
    public long NextPosition() => LastPosition = Math.Max(LastPosition + 1, Now.UtcTicks);

    public void ObservePosition(long position) => LastPosition = Math.Max(LastPosition, position);

    /// <summary>Keeps the key of a command that was applied.</summary>
    public void AddKey(string key, string requestHash, Guid resultId)
    {
        // That of a node is asked for within seconds, or once the lane has an owner again.
        var keptSince = requestHash == RemoteCommand.NodeHash ? Now - options.Retention.Keys + RemoteCommand.NodeKeyLifetime : Now;
        var row = new IdempotencyRow(key, requestHash, resultId, keptSince);
        Keys.Remember(row);
        Batch.AddKey(row);
        Batch.OnRollBack(() => Keys.Forget(key));
    }

    /// <summary>Raises an integration event in this batch.</summary>
    /// <param name="trace">The trace of its instance or signal; null for that of the command.</param>
    /// <param name="make">Makes it of its id and its times.</param>
    public void Raise(string? trace, Func<string, EventTimestamps, IntegrationEvent> make)
    {
        var (id, stamps) = NextEvent();
        Raise(trace, make(id, stamps));
    }

    /// <summary>The id and the times of the next event, which <see cref="Raise(string?, IntegrationEvent)"/> has to follow.</summary>
    public (string Id, EventTimestamps Stamps) NextEvent()
    {
        var sequence = ++LastSequence;
        var executed = time.GetTimestamp();
        return (string.Create(CultureInfo.InvariantCulture, $"{host.Stream}-{sequence}"), new()
        {
            AcceptedUtc = Command.AcceptedUtc,
            AcceptedTicks = Command.AcceptedTicks,
            ExecutedUtc = Now,
            ExecutedTicks = executed,
            ExecutionTicks = executed - _nowTicks,
            TicksPerSecond = time.TimestampFrequency,
            BootId = _bootId,
        });
    }

    public void Raise(string? trace, IntegrationEvent raised)
    {
        trace ??= Command.Trace;
        if (trace is not null)
        {
            raised = raised with { TraceParent = trace };
        }

        var json = _json.Write(raised, EventTypes.Write).ToArray();
        Batch.AddEvent(raised, new(host.Stream, LastSequence, raised.Type, raised.Definition, json, Now));
    }
}

/// <summary>A batch with the commands that have changed what it holds.</summary>
internal sealed class CommandBatch : LaneBatch
{
    /// <summary>
    /// A server takes 1 GiB in one message, and a character may be six bytes there. So large a batch takes no more commands.
    /// </summary>
    public const long FullSize = 8 * 1_048_576;

    public List<LaneCommand> Commands { get; } = [];

    /// <summary>
    /// Characters of its rows at most, roughly and without escapes: of the instances, of what the commands brought, and their work.
    /// </summary>
    public long Size { get; set; }

    public bool IsFull => Size >= FullSize;
}

/// <summary>What the handlers need from their lane: ownership of partitions, definitions, and work launched after the commit.</summary>
internal interface ILaneHost
{
    int Stream { get; }

    bool Owns(short partition);

    /// <summary>A registered definition, the newest where no version is given; null when there is none.</summary>
    WorkflowDefinition? FindDefinition(string name, int? version);

    /// <summary>The definition of which a signal that nobody waits for starts an instance; null for none.</summary>
    WorkflowDefinition? FindStartedBy(string signalName);

    Activity? FindActivity(string name);

    SignalReceiver? FindReceiver(string signalName);

    /// <param name="trace">The trace context of the instance.</param>
    void LaunchActivity(Guid instanceId, Guid waitId, Activity activity, Value input, string? trace);

    /// <summary>The wait of an activity is over: if it has not been called yet, it is not.</summary>
    void ForgetActivity(Guid waitId);

    void LaunchReceiver(Guid signalId, SignalReceiver receiver, string key, Value payload);
}

/// <summary>The idempotency keys of a lane that were used or looked up of late.</summary>
/// <param name="retention">How long a key counts.</param>
internal sealed class IdempotencyKeys(TimeSpan retention, TimeProvider time)
{
    /// <summary>One that the store still has counts so much longer: forgotten at once, it would be looked up without end.</summary>
    private static readonly TimeSpan Extension = TimeSpan.FromSeconds(10);

    private readonly RecentEntries<string, IdempotencyRow> _keys = new(capacity: 50_000);

    /// <summary>Null also for one that is past its time: whether it is still there, only the store knows.</summary>
    public IdempotencyRow? Find(string key)
    {
        var row = _keys.Find(key);
        if (row is null || time.GetUtcNow() - row.CreatedUtc < retention)
        {
            return row;
        }

        _keys.Remove(key);
        return null;
    }

    public void Remember(IdempotencyRow row)
    {
        var oldest = time.GetUtcNow() - retention + Extension;
        _keys.TryAdd(row.Key, row.CreatedUtc < oldest ? row with { CreatedUtc = oldest } : row);
    }

    /// <summary>The key was not committed.</summary>
    public void Forget(string key) => _keys.Remove(key);
}

/// <summary>Entries of which the oldest is forgotten when there are too many.</summary>
internal sealed class RecentEntries<TKey, TValue>(int capacity)
    where TKey : notnull
{
    private readonly Dictionary<TKey, TValue> _entries = [];
    private readonly Queue<TKey> _order = [];

    public TValue? Find(TKey key) => _entries.GetValueOrDefault(key);

    /// <returns>Whether it was not there.</returns>
    public bool TryAdd(TKey key, TValue value)
    {
        if (!_entries.TryAdd(key, value))
        {
            return false;
        }

        _order.Enqueue(key);
        if (_order.Count > capacity)
        {
            _entries.Remove(_order.Dequeue());
        }

        return true;
    }

    public void Remove(TKey key) => _entries.Remove(key);
}
