using Workflow.Contracts.DeadLetters;
using Workflow.Engine.Instances;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Rows of partition 0 as an engine would write them.</summary>
internal static class StoreRows
{
    // Whole microseconds: every store keeps them.
    public static readonly DateTimeOffset Now = new(2026, 3, 4, 5, 6, 7, 891, 234, TimeSpan.Zero);

    public static IReadOnlyCollection<short> EveryPartition { get; } =
        [.. Enumerable.Range(0, Partitioning.Count).Select(p => (short)p)];

    public static InstanceRow Instance(Guid id, long revision, InstanceState state = InstanceState.Waiting) => new()
    {
        Id = id,
        Partition = 0,
        Definition = "order",
        DefinitionVersion = 3,
        Revision = revision,
        State = state,
        CorrelationKey = "key 'ü' 漢",
        Body = $$"""{"v":{"n":{{revision}}},"h":1}""",
        History = $"line {revision}\n",
        CreatedUtc = Now,
        UpdatedUtc = Now.AddSeconds(revision),
    };

    public static PendingRow Signal(Guid id, long position = 1) =>
        new(id, 0, PendingKind.Signal, position,
            """{"n":"go","y":"a 'ü' 漢","p":{"text":"\u0000 \"\\ \n"},"a":"2026-03-04T05:06:07.891234+00:00"}""");

    public static PendingRow Message(Guid id, long position = 6, short partition = 0) =>
        new(id, partition, PendingKind.Message, position, """{"deliver":{}}""");

    public static InstanceWrite New(InstanceRow row) => new(InstanceOrigin.New, row);
    public static InstanceWrite Live(InstanceRow row) => new(InstanceOrigin.Live, row);
    public static InstanceWrite Failed(InstanceRow row) => new(InstanceOrigin.Failed, row);

    public static TaskRow Task(Guid id, Guid instance) => new()
    {
        Id = id,
        Partition = 0,
        InstanceId = instance,
        Definition = "order",
        DefinitionVersion = 3,
        CorrelationKey = "key 'ü' 漢",
        Step = "check",
        State = TaskState.Open,
        Groups = ["a \"quoted\" group", "{comma, brace}", "漢"],
        CreatedUtc = Now,
        UpdatedUtc = Now,
        DueUtc = Now.AddHours(1),
    };

    public static DeadLetterRow Letter(Guid id, Guid? instance) => new()
    {
        Id = id,
        Partition = 0,
        Kind = DeadLetterKind.Message,
        SubjectId = Guid.CreateVersion7(Now),
        InstanceId = instance,
        Reason = "PostgreSQL 23514: 'ü' 漢",
        Attempts = 1,
        Payload = "{\"kind\":\"subscribe\",\"body\":{}}",
        CreatedUtc = Now,
        LastAttemptUtc = Now,
    };

    public static EventRow Event(long sequence, int stream = 0) =>
        new(stream, sequence, "InstanceCompleted", "order", Encoding.UTF8.GetBytes($"{{\"n\":{sequence}}}"), Now);

    /// <summary>The comparable part of an event, because arrays are compared by reference.</summary>
    public static (int, long, string, string?, string, DateTimeOffset) Parts(EventRow row) =>
        (row.Stream, row.Sequence, row.Type, row.Definition, Encoding.UTF8.GetString(row.Body), row.CreatedUtc);

    public static TrimRequest Trim(
        DateTimeOffset events, DateTimeOffset keys, DateTimeOffset replayed, DateTimeOffset? finished = null,
        int limit = 1_000) => new()
        {
            EventsBeforeUtc = events,
            KeysBeforeUtc = keys,
            ReplayedBeforeUtc = replayed,
            FinishedBeforeUtc = finished,
            Limit = limit,
        };

    /// <summary>Adds a row of every kind, so that any part kept of a refused batch shows.</summary>
    public static FlushBatch With(FlushBatch batch)
    {
        batch.Instances.Add(New(Instance(Guid.CreateVersion7(Now), 1)));
        batch.Pending.Add(Signal(Guid.CreateVersion7(Now), 77));
        batch.Tasks.Add(Task(Guid.CreateVersion7(Now), Guid.NewGuid()));
        batch.Keys.Add(new($"start:{Guid.NewGuid()}", "hash", Guid.NewGuid(), Now));
        return batch;
    }

    public static FlushBatch Batch(long number, long lastSequence = 0, Action<FlushBatch>? add = null)
    {
        var batch = new FlushBatch { Number = number, LastSequence = lastSequence };
        add?.Invoke(batch);
        return batch;
    }

    public static FlushBatch Batch(long number, long lastSequence, InstanceWrite instance) =>
        Batch(number, lastSequence, batch => batch.Instances.Add(instance));

    public static FlushBatch Batch(long number, Action<FlushBatch> add) => Batch(number, 0, add);
}
