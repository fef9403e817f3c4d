using Workflow.Engine.Activities;
using Workflow.Engine.Calls;
using Workflow.Engine.Signals;
using Workflow.Engine.Tasks;
using Workflow.Engine.Timers;

namespace Workflow.Engine.Lanes;

/// <summary>
/// A lane's memory with the features that change it, put together in this one place: applies commands, and collects the next commit's
/// rows. A load makes a new one. Single-threaded, without I/O.
/// </summary>
internal sealed class LaneExecutor
{
    private readonly LaneContext _lane;
    private readonly SignalStore _signals;
    private readonly SignalWaits _signalWaits;
    private readonly TaskHandler _tasks;
    private readonly MessageHandler _messages;

    public LaneExecutor(ILaneHost host, WorkflowEngineOptions options, TimeProvider time, EngineRuntime runtime)
    {
        _lane = new(host, options, time, runtime);
        Instances = new(_lane);
        var deadLetters = new DeadLetterHandler(_lane);
        Timers = new(Instances, deadLetters, _lane);
        _signals = new(Instances, Timers.Queue, _lane);
        _signalWaits = new(Instances, _signals, deadLetters, _lane);
        var signals = new SignalHandler(Instances, _signals, _signalWaits, deadLetters, _lane);
        _tasks = new(Instances, _lane);
        var activities = new ActivityHandler(Instances, deadLetters, _lane);
        _ = new ElementCalls(Instances, new CallHandler(Instances, _lane), _lane);
        _messages = new(signals, deadLetters, _lane);
        DeadLetters = deadLetters.Index;

        // What commands ask for.
        _lane.Register(Instances);
        _lane.Register(new SuspensionHandler(Instances, _lane));
        _lane.Register(new RetryHandler(Instances, _lane));
        _lane.Register(deadLetters);
        _lane.Register(Timers);
        _lane.Register(signals);
        _lane.Register(_tasks);
        _lane.Register(activities);
        _lane.Register(_messages);

        // What features ask of one another, upwards.
        _lane.Register<ISignalTimers>(signals);
        _lane.Register<IInboxes>(_signals);
    }

    public InstanceHandler Instances { get; }
    public TimerHandler Timers { get; }
    public DeadLetterIndex DeadLetters { get; }
    public CommandBatch Batch => _lane.Batch;
    public IdempotencyKeys Keys => _lane.Keys;
    public long LastSequence => _lane.LastSequence;
    public int OpenTasks => _tasks.Count;
    public int StoredSignals => _signals.Stored.Count;

    /// <summary>Loaded signals whose receiver must be called.</summary>
    public IReadOnlyList<AcceptedSignal> Receiving => _signals.Receiving;

    /// <summary>Fills the memory with what is committed.</summary>
    public void Load(LaneSnapshot snapshot, Func<string, int, WorkflowDefinition> definitionOf)
    {
        _lane.LastSequence = snapshot.LastSequence;

        // What is sent from now on is read after what was sent before, also by a former owner whose clock is ahead of this one.
        _lane.ObservePosition(snapshot.LastMessagePosition);
        foreach (var row in snapshot.Instances)
        {
            Instances.Load(row, definitionOf(row.Definition, row.DefinitionVersion));
        }

        foreach (var row in snapshot.Pending)
        {
            _lane.ObservePosition(row.Position);
            switch (row.Kind)
            {
                case PendingKind.Signal:
                    _signals.Load(AcceptedSignal.Of(row));
                    break;
                case PendingKind.Subscription:
                    _signalWaits.Load(Subscription.Of(row));
                    break;
                case PendingKind.Message:
                    _messages.Load(row.Id);
                    break;
                default:
                    throw new InvalidOperationException($"Pending row {row.Id} is of the unknown kind {row.Kind}.");
            }
        }

        foreach (var deadLetter in snapshot.DeadLetters)
        {
            DeadLetters.Add(deadLetter);
        }
    }

    public void Execute(LaneCommand command)
    {
        _lane.Begin(command);
        Instances.Steps.Begin();
        var touched = Batch.Touched.Count;
        command.Apply(_lane);
        Instances.Relatives.Run();
        Batch.Size += command.Size + Instances.Steps.Spent;
        for (; touched < Batch.Touched.Count; touched++)
        {
            Batch.Size += Batch.Touched[touched].RowSize;
        }
    }

    public CommandBatch TakeBatch() => _lane.TakeBatch();

    /// <summary>
    /// Takes back all that a batch has changed in memory, without the store: each instance becomes what was last committed of it. Of two
    /// batches the later goes first.
    /// </summary>
    public void RollBack(CommandBatch batch)
    {
        Instances.RollBack(batch);
        batch.Undo();
        _lane.LastSequence -= batch.Events.Count;
    }

    /// <summary>
    /// What it gives positions to comes after all that the former memory gave one to, some of which may lie unread in other lanes' inboxes.
    /// </summary>
    public void Succeed(LaneExecutor former) => _lane.ObservePosition(former._lane.LastPosition);

    /// <summary>Whether the loaded memory does not hold the message, or it was applied.</summary>
    public bool IsGone(Guid message) => !_messages.IsLoaded(message);
}
