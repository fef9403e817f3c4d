using System.Buffers;
using System.Text.Encodings.Web;

namespace Workflow.Engine.Flush;

/// <summary>What the commands since the last flush have changed, and what leaves the lane once that is committed.</summary>
internal class LaneBatch
{
    private readonly List<FlushedInstance> _dirty = [];
    private readonly Dictionary<Guid, SignalRow> _signalsAdded = [];
    private readonly Dictionary<Guid, SubscriptionRow> _subscriptionsAdded = [];
    private readonly FlushBatch _rows = new();
    private Dictionary<Guid, TaskRow>? _tasksAdded;
    private Dictionary<Guid, DeadLetterChange>? _deadLettersChanged;
    private readonly List<InstanceRow> _sealed = [];
    private List<Action>? _undo;

    public BatchTally Tally { get; } = new();

    /// <summary>Events in order, with the rows that store them.</summary>
    public List<IntegrationEvent> Events { get; } = [];

    public List<MessageRow> Outgoing { get; } = [];

    /// <summary>Work to launch after the commit: activities and receivers.</summary>
    public List<Action> Launches { get; } = [];

    public FlushBatch Rows => _rows;

    /// <summary>Whether it changes anything durable.</summary>
    public bool HasRows => _dirty.Count + _signalsAdded.Count + _subscriptionsAdded.Count > 0 || _deadLettersChanged is not null
        || !_rows.IsEmpty;

    /// <summary>Instances that changed, new and finished ones among them.</summary>
    public IReadOnlyList<FlushedInstance> Touched => _dirty;

    /// <summary>How memory beside the instances goes back to what it was. The last one added is called first.</summary>
    public void OnRollBack(Action undo) => (_undo ??= []).Add(undo);

    /// <summary>Takes back the changes of memory beside the instances.</summary>
    public void Undo()
    {
        for (var i = (_undo?.Count ?? 0) - 1; i >= 0; i--)
        {
            _undo![i]();
        }
    }

    /// <summary>It is committed: its rows are what the instances go back to from now on.</summary>
    public void Committed()
    {
        _undo = null;
        for (var i = 0; i < _sealed.Count; i++)
        {
            var row = _sealed[i];
            _dirty[i].Committed = new(row.Body, row.State, row.Revision, row.UpdatedUtc);
        }
    }

    public void Touch(FlushedInstance instance)
    {
        if (!instance.IsDirty)
        {
            instance.IsDirty = true;
            _dirty.Add(instance);
        }
    }

    public void AddSignal(SignalRow signal) => _signalsAdded.Add(signal.Id, signal);

    /// <summary>A row added in this very batch is not written at all.</summary>
    public void RemoveSignal(Guid id)
    {
        if (!_signalsAdded.Remove(id))
        {
            _rows.SignalsRemoved.Add(id);
        }
    }

    public void AddSubscription(SubscriptionRow subscription) => _subscriptionsAdded.Add(subscription.WaitId, subscription);

    public void RemoveSubscription(Guid waitId)
    {
        if (!_subscriptionsAdded.Remove(waitId))
        {
            _rows.SubscriptionsRemoved.Add(waitId);
        }
    }

    public void AddTask(TaskRow task) => (_tasksAdded ??= []).Add(task.Id, task);

    /// <summary>The change of a task added in this very batch is written with it.</summary>
    public void ChangeTask(TaskChange change)
    {
        if (_tasksAdded?.GetValueOrDefault(change.Id) is { } added)
        {
            _tasksAdded[change.Id] = added.With(change);
            return;
        }

        // One row a task: of several changes the last one holds.
        _rows.TasksChanged.RemoveAll(c => c.Id == change.Id);
        _rows.TasksChanged.Add(change);
    }

    public void AddChild(ChildRow child) => _rows.ChildrenAdded.Add(child);

    public void AddMessage(MessageRow message)
    {
        _rows.MessagesAdded.Add(message);
        Outgoing.Add(message);
    }

    public void RemoveMessage(Guid id) => _rows.MessagesRemoved.Add(id);
    public void AddReply(ReplyRow reply) => _rows.Replies.Add(reply);
    public void AddDeadLetter(DeadLetterRow deadLetter) => _rows.DeadLettersAdded.Add(deadLetter);

    /// <summary>Of several changes of a dead letter the last one counts.</summary>
    public void ChangeDeadLetter(DeadLetterChange change) => (_deadLettersChanged ??= [])[change.Id] = change;

    public void AddKey(IdempotencyRow key) => _rows.Keys.Add(key);

    public void AddEvent(IntegrationEvent integrationEvent, EventRow row)
    {
        Events.Add(integrationEvent);
        _rows.Events.Add(row);
    }

    /// <summary>Turns all changes into rows. Afterwards the instances may change again, for the next batch.</summary>
    public FlushBatch Seal(JsonBuffer json, long lastSequence)
    {
        _sealed.EnsureCapacity(_dirty.Count);
        foreach (var instance in _dirty)
        {
            // From here on a change belongs to the next batch.
            instance.IsDirty = false;
            var isRetried = instance.IsRetried;
            instance.IsRetried = false;
            instance.Revision++;
            var target = isRetried ? _rows.Retried ??= []
                : instance.IsFinished ? _rows.Finished : instance.Revision == 1 ? _rows.Inserted : _rows.Updated;
            var row = instance.ToRow(json);
            target.Add(row);
            _sealed.Add(row);
        }

        _rows.SignalsAdded.AddRange(_signalsAdded.Values);
        _rows.SubscriptionsAdded.AddRange(_subscriptionsAdded.Values);
        if (_tasksAdded is not null)
        {
            _rows.TasksAdded.AddRange(_tasksAdded.Values);
        }

        if (_deadLettersChanged is not null)
        {
            _rows.DeadLettersChanged.AddRange(_deadLettersChanged.Values);
        }

        _rows.LastSequence = lastSequence;
        return _rows;
    }
}

/// <summary>An instance as a batch sees it: what its commit reads and sets.</summary>
internal abstract class FlushedInstance
{
    /// <summary>Revision of the last sealed batch that held the instance; 0 before the first.</summary>
    public long Revision { get; set; }

    /// <summary>What a roll-back returns to; null while no commit holds the instance.</summary>
    public CommittedInstance? Committed { get; set; }

    /// <summary>True while the open batch holds the instance.</summary>
    public bool IsDirty { get; set; }

    /// <summary>True until a commit holds that it goes on after its failure.</summary>
    public bool IsRetried { get; set; }

    public abstract bool IsFinished { get; }

    /// <summary>Its row; its history begins anew.</summary>
    public abstract InstanceRow ToRow(JsonBuffer json);
}

/// <summary>What of an instance changes, as its row was last committed.</summary>
internal readonly record struct CommittedInstance(string Body, InstanceState State, long Revision, DateTimeOffset UpdatedUtc);

/// <summary>JSON in a buffer that is used again. For one thread at a time.</summary>
internal sealed class JsonBuffer
{
    private readonly ArrayBufferWriter<byte> _buffer = new(1_024);
    private readonly Utf8JsonWriter _writer;

    public JsonBuffer() => _writer = new Utf8JsonWriter(_buffer, new JsonWriterOptions
    {
        SkipValidation = true,

        // Never within markup: what is no markup need not be six characters.
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    });

    /// <summary>What is written, in UTF-8, until the next call.</summary>
    public ReadOnlySpan<byte> Write<T>(T value, Action<Utf8JsonWriter, T> write)
    {
        _buffer.ResetWrittenCount();
        _writer.Reset();
        write(_writer, value);
        _writer.Flush();
        return _buffer.WrittenSpan;
    }
}
