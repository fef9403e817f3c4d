using System.Buffers;
using System.Text.Encodings.Web;

namespace Workflow.Engine.Flush;

/// <summary>What the commands since the last flush have changed, and what leaves the lane once that is committed.</summary>
internal class LaneBatch
{
    private readonly List<FlushedInstance> _dirty = [];
    private readonly Dictionary<Guid, IPending> _pending = [];
    private readonly FlushBatch _rows = new();
    private Dictionary<Guid, ITaskWrite>? _tasks;
    private Dictionary<Guid, IDeadLetterWrite>? _deadLetters;
    private List<Action>? _undo;

    public BatchTally Tally { get; } = new();

    /// <summary>Events in order, with the rows that store them.</summary>
    public List<IntegrationEvent> Events { get; } = [];

    public List<Message> Outgoing { get; } = [];

    /// <summary>Ids of the messages that it has handled.</summary>
    public List<Guid> Handled { get; } = [];

    /// <summary>Work to launch after the commit: activities and receivers.</summary>
    public List<Action> Launches { get; } = [];

    public FlushBatch Rows => _rows;

    /// <summary>Whether it changes anything durable.</summary>
    public bool HasRows => _dirty.Count + _pending.Count > 0 || _deadLetters is not null || !_rows.IsEmpty;

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
        for (var i = 0; i < _rows.Instances.Count; i++)
        {
            var row = _rows.Instances[i].Row;
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

    public void AddPending(IPending pending) => _pending.Add(pending.Id, pending);

    /// <summary>A row added in this very batch is not written at all.</summary>
    public void RemovePending(Guid id)
    {
        if (!_pending.Remove(id))
        {
            _rows.PendingRemoved.Add(id);
        }
    }

    public void AddTask(TaskRow task) => (_tasks ??= []).Add(task.Id, task);

    /// <summary>The change of a task added in this very batch is written with it; of several changes the last one counts.</summary>
    public void ChangeTask(TaskChange change)
    {
        _tasks ??= [];
        _tasks[change.Id] = _tasks.GetValueOrDefault(change.Id) is TaskRow added ? added.With(change) : change;
    }

    public void AddChild(ChildRow child) => _rows.Children.Add(child);

    public void AddMessage(Message message)
    {
        _rows.Pending.Add(message.ToRow());
        Outgoing.Add(message);
    }

    /// <summary>A message was handled. It is stored: a signal that came by it, and has its id, may be added in the same batch.</summary>
    public void RemoveMessage(Guid id)
    {
        _rows.PendingRemoved.Add(id);
        Handled.Add(id);
    }

    public void AddReply(ReplyRow reply) => _rows.Replies.Add(reply);
    public void AddDeadLetter(DeadLetterRow deadLetter) => (_deadLetters ??= []).Add(deadLetter.Id, deadLetter);

    /// <summary>As <see cref="ChangeTask"/>.</summary>
    public void ChangeDeadLetter(DeadLetterChange change)
    {
        _deadLetters ??= [];
        _deadLetters[change.Id] = _deadLetters.GetValueOrDefault(change.Id) is DeadLetterRow added ? added.With(change) : change;
    }

    public void AddKey(IdempotencyRow key) => _rows.Keys.Add(key);

    public void AddEvent(IntegrationEvent integrationEvent, EventRow row)
    {
        Events.Add(integrationEvent);
        _rows.Events.Add(row);
    }

    /// <summary>Turns all changes into rows. Afterwards the instances may change again, for the next batch.</summary>
    public FlushBatch Seal(JsonBuffer json, long lastSequence)
    {
        _rows.Instances.EnsureCapacity(_dirty.Count);
        foreach (var instance in _dirty)
        {
            // From here on a change belongs to the next batch.
            instance.IsDirty = false;
            var origin = instance.IsRetried ? InstanceOrigin.Failed : instance.Revision == 0 ? InstanceOrigin.New : InstanceOrigin.Live;
            instance.IsRetried = false;
            instance.Revision++;
            _rows.Instances.Add(new(origin, instance.ToRow(json)));
        }

        foreach (var pending in _pending.Values)
        {
            _rows.Pending.Add(pending.ToRow(json));
        }

        _rows.Tasks.AddRange(_tasks?.Values ?? Enumerable.Empty<ITaskWrite>());
        _rows.DeadLetters.AddRange(_deadLetters?.Values ?? Enumerable.Empty<IDeadLetterWrite>());
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

    /// <summary>About how many characters its row has now.</summary>
    public abstract long RowSize { get; }

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

    /// <summary>What is written, as a text.</summary>
    public string WriteText<T>(T value, Action<Utf8JsonWriter, T> write) => Encoding.UTF8.GetString(Write(value, write));

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
