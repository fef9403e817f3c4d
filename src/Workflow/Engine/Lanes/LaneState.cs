using Workflow.Engine.Activities;
using Workflow.Engine.Calls;
using Workflow.Engine.Signals;
using Workflow.Engine.Tasks;
using Workflow.Engine.Timers;

namespace Workflow.Engine.Lanes;

/// <summary>
/// The memory of a lane: the handlers of all features, which find one another here, the command being applied, and the
/// open batch, which collects the rows of the next commit. A load creates a new one. Single-threaded, without I/O.
/// </summary>
internal sealed class LaneState
{
    private readonly TimeProvider _time;
    private readonly EngineRuntime _runtime;
    private readonly string _bootId = BootId.Current;
    private readonly JsonBuffer _json = new();
    private long _nowTicks;

    /// <param name="slots">The slots of the lane that may be in the store. They outlive this memory.</param>
    public LaneState(
        ILaneHost host, WorkflowEngineOptions options, TimeProvider time, EngineRuntime runtime, SlotIndex slots)
    {
        _time = time;
        _runtime = runtime;
        Host = host;
        Options = options;
        Keys = new(options.Retention.Keys, time);
        Instances = new(this);
        Suspensions = new(Instances, this);
        Retries = new(Instances, this);
        DeadLetters = new(this);
        Timers = new(Instances, DeadLetters, this);
        SignalStore = new(Instances, Timers.Queue, this);
        SignalWaits = new(Instances, SignalStore, DeadLetters, this);
        Signals = new(Instances, SignalStore, SignalWaits, DeadLetters, this);
        Tasks = new(Instances, this);
        Activities = new(Instances, DeadLetters, this);
        Calls = new(Instances, this);
        ElementCalls = new(Instances, Calls, this);
        Messages = new(Signals, DeadLetters, this);
        Dormancy = new(Instances, SignalStore, slots, this);
    }

    public ILaneHost Host { get; }
    public WorkflowEngineOptions Options { get; }
    public InstanceHandler Instances { get; }
    public SuspensionHandler Suspensions { get; }
    public RetryHandler Retries { get; }
    public DeadLetterHandler DeadLetters { get; }
    public TimerHandler Timers { get; }
    public SignalStore SignalStore { get; }
    public SignalWaits SignalWaits { get; }
    public SignalHandler Signals { get; }
    public TaskHandler Tasks { get; }
    public ActivityHandler Activities { get; }
    public CallHandler Calls { get; }
    public ElementCalls ElementCalls { get; }
    public MessageHandler Messages { get; }
    public DormancyHandler Dormancy { get; }

    public LaneCommand Command { get; private set; } = null!;

    /// <summary>When the command began. The clock is read once for each command.</summary>
    public DateTimeOffset Now { get; private set; }

    public LaneBatch Batch { get; private set; } = new();
    public IdempotencyKeys Keys { get; }

    /// <summary>The sequence of the last event in the lane's stream.</summary>
    public long LastSequence { get; private set; }

    public long LastPosition { get; private set; }

    /// <summary>Fills the memory with the committed state, without its instances.</summary>
    /// <param name="partitions">Those of the lane. Their instances follow while it works.</param>
    public void Load(LaneSnapshot snapshot, IEnumerable<short> partitions)
    {
        LastSequence = snapshot.LastSequence;
        Dormancy.Load(snapshot, partitions);

        // New positions follow all earlier ones, even those of a former owner whose clock is ahead of this one.
        ObservePosition(snapshot.LastMessagePosition);
        ObservePosition(snapshot.LastPosition);
        foreach (var row in snapshot.Pending)
        {
            ObservePosition(row.Position);
            switch (row.Kind)
            {
                case PendingKind.Signal:
                    SignalStore.Load(AcceptedSignal.Of(row));
                    break;
                case PendingKind.Subscription:
                    SignalWaits.Load(Subscription.Of(row));
                    break;
                case PendingKind.Message:
                    Messages.Load(row.Id);
                    break;
                default:
                    throw new InvalidOperationException($"Pending row {row.Id} is of the unknown kind {row.Kind}.");
            }
        }

        foreach (var deadLetter in snapshot.DeadLetters)
        {
            DeadLetters.Index.Add(deadLetter);
        }
    }

    /// <summary>Logs loaded instances that nobody waits for.</summary>
    public void LogOrphans(ILogger logger)
    {
        foreach (var orphan in Instances.Orphans)
        {
            Log.OrphanFound(logger, orphan.Id, orphan.Definition.Name, orphan.ParentId!.Value);
        }
    }

    /// <summary>Applies a command and adds it to the open batch.</summary>
    public void Execute(LaneCommand command)
    {
        Command = command;
        Now = _time.GetUtcNow();
        _nowTicks = _time.GetTimestamp();
        Batch.Commands.Add(command);
        Instances.Steps.Begin();
        var touched = Batch.Touched.Count;
        command.Apply(this);
        Instances.CallQueue.Run();
        Batch.Size += command.Size + Instances.Steps.Spent;
        for (; touched < Batch.Touched.Count; touched++)
        {
            Batch.Size += Batch.Touched[touched].RowSize;
            Instances.Residents.Use(Batch.Touched[touched], Now);
        }
    }

    public LaneBatch TakeBatch()
    {
        var batch = Batch;
        Batch = new();
        return batch;
    }

    /// <summary>
    /// Undoes all changes of a batch in memory, without the store: each instance returns to its last committed state.
    /// Of two batches, the later one is rolled back first.
    /// </summary>
    public void RollBack(LaneBatch batch)
    {
        Instances.RollBack(batch);
        batch.Undo();
        LastSequence -= batch.Events.Count;
    }

    /// <summary>The present time, outside of a command.</summary>
    public DateTimeOffset ReadClock() => _time.GetUtcNow();

    public Guid NewId() => _runtime.NewId(Now);

    /// <summary>Returns a position after all that were assigned or observed before.</summary>
    public long NextPosition() => LastPosition = Math.Max(LastPosition + 1, Now.UtcTicks);

    public void ObservePosition(long position) => LastPosition = Math.Max(LastPosition, position);

    /// <summary>
    /// Assigns positions after all that the former memory assigned, because messages with those positions may still be
    /// unread in the inboxes of other lanes.
    /// </summary>
    public void ContinuePositionsFrom(LaneState former) => ObservePosition(former.LastPosition);

    public void AddKey(string key, string requestHash, Guid resultId)
    {
        // A key of a node is needed for seconds only, or until the lane has an owner again.
        var keptSince = requestHash == RemoteCommand.NodeHash
            ? Now - Options.Retention.Keys + RemoteCommand.NodeKeyLifetime
            : Now;
        var row = new IdempotencyRow(key, requestHash, resultId, keptSince);
        Keys.Remember(row);
        Batch.AddKey(row);
        Batch.OnRollBack(() => Keys.Forget(key));
    }

    /// <param name="trace">The trace of the instance or signal; null for the trace of the command.</param>
    /// <param name="make">Creates the event from its id and timestamps.</param>
    public void Raise(string? trace, Func<string, EventTimestamps, IntegrationEvent> make)
    {
        var (id, stamps) = NextEvent();
        Raise(trace, make(id, stamps));
    }

    /// <summary>
    /// Returns the id and timestamps of the next event. A call of <see cref="Raise(string?, IntegrationEvent)"/> must
    /// follow.
    /// </summary>
    public (string Id, EventTimestamps Stamps) NextEvent()
    {
        var sequence = ++LastSequence;
        var executed = _time.GetTimestamp();
        return (string.Create(CultureInfo.InvariantCulture, $"{Host.Stream}-{sequence}"), new()
        {
            AcceptedUtc = Command.AcceptedUtc,
            AcceptedTicks = Command.AcceptedTicks,
            ExecutedUtc = Now,
            ExecutedTicks = executed,
            ExecutionTicks = executed - _nowTicks,
            TicksPerSecond = _time.TimestampFrequency,
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
        Batch.AddEvent(raised, new(Host.Stream, LastSequence, raised.Type, raised.Definition, json, Now));
    }
}
