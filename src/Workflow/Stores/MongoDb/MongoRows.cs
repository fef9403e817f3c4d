using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Tasks;

namespace Workflow.Stores.MongoDb;

/// <summary>
/// Rows as documents and back. The server's dates have milliseconds, so instants of rows are whole microseconds since
/// 1970 (<c>...Micros</c>); only leases, which the server's clock decides, are dates. UUIDs are of sub type 4, which
/// orders them byte by byte.
/// </summary>
internal static class MongoRows
{
    private const int StreamShift = 48;

    public static BsonValue Id(Guid id) => new BsonBinaryData(id, GuidRepresentation.Standard);

    public static BsonValue Id(Guid? id) => id is { } value ? Id(value) : BsonNull.Value;

    /// <summary>The condition that a member has one of the values.</summary>
    public static BsonDocument In(IEnumerable<BsonValue> values) => new("$in", new BsonArray(values));

    /// <inheritdoc cref="In(IEnumerable{BsonValue})"/>
    public static BsonDocument In(IEnumerable<int> values) => new("$in", new BsonArray(values));

    /// <inheritdoc cref="In(IEnumerable{BsonValue})"/>
    public static BsonDocument In(IEnumerable<long> values) => new("$in", new BsonArray(values));

    public static BsonValue Id(DormantWait wait) =>
        new BsonDocument { { "slot", wait.Slot }, { "wait", Id(wait.WaitId) } };

    public static BsonValue Text(string? text) => text is null ? BsonNull.Value : text;

    public static BsonValue Micros(DateTimeOffset instant) =>
        (instant.UtcTicks - DateTimeOffset.UnixEpoch.Ticks) / TimeSpan.TicksPerMicrosecond;

    public static BsonValue Micros(DateTimeOffset? instant) => instant is { } value ? Micros(value) : BsonNull.Value;

    /// <summary>
    /// The id of an event: its stream, then its sequence, in one number, so that the index of ids is the only one it
    /// needs.
    /// </summary>
    public static long EventId(int stream, long sequence) => ((long)stream << StreamShift) + sequence;

    public static BsonDocument Of(InstanceRow r) => new()
    {
        { "_id", Id(r.Id) },
        { "partition", (int)r.Partition },
        { "definition", r.Definition },
        { "definitionVersion", r.DefinitionVersion },
        { "revision", r.Revision },
        { "state", (int)r.State },
        { "correlationKey", Text(r.CorrelationKey) },
        { "body", r.Body },
        { "history", r.History.Length == 0 ? new BsonArray() : new BsonArray(new[] { r.History }) },
        { "createdMicros", Micros(r.CreatedUtc) },
        { "updatedMicros", Micros(r.UpdatedUtc) },
    };

    public static BsonDocument Of((DormantWait Wait, Guid Instance) r) =>
        new() { { "_id", Id(r.Wait) }, { "instanceId", Id(r.Instance) } };

    public static DormantDue DormantDue(BsonDocument d) => new(Instance(d), Time(d, "dueMicros"));

    /// <remarks>
    /// The partition of a dormant instance has another name, so that it is not found among the others.
    /// </remarks>
    public static InstanceRow Instance(BsonDocument d) => new()
    {
        Id = d["_id"].AsGuid,
        Partition = Partition(d, d.Contains("dormantPartition") ? "dormantPartition" : "partition"),
        Definition = d["definition"].AsString,
        DefinitionVersion = d["definitionVersion"].ToInt32(),
        Revision = d["revision"].ToInt64(),
        State = (InstanceState)d["state"].ToInt32(),
        CorrelationKey = Text(d, "correlationKey"),
        Body = d["body"].AsString,
        CreatedUtc = Time(d, "createdMicros"),
        UpdatedUtc = Time(d, "updatedMicros"),
    };

    public static BsonDocument Of(PendingRow r) => new()
    {
        { "_id", Id(r.Id) },
        { "partition", (int)r.Partition },
        { "kind", (int)r.Kind },
        { "position", r.Position },
        { "body", r.Body },
    };

    public static PendingRow Pending(BsonDocument d) =>
        new(d["_id"].AsGuid, Partition(d), (PendingKind)d["kind"].ToInt32(), d["position"].ToInt64(),
            d["body"].AsString);

    public static BsonDocument Of(TaskRow r) => new()
    {
        { "_id", Id(r.Id) },
        { "partition", (int)r.Partition },
        { "instanceId", Id(r.InstanceId) },
        { "definition", r.Definition },
        { "definitionVersion", r.DefinitionVersion },
        { "correlationKey", Text(r.CorrelationKey) },
        { "step", r.Step },
        { "state", (int)r.State },
        { "assignee", Text(r.Assignee) },
        { "groups", new BsonArray(r.Groups) },
        { "output", Text(r.Output) },
        { "createdMicros", Micros(r.CreatedUtc) },
        { "updatedMicros", Micros(r.UpdatedUtc) },
        { "dueMicros", Micros(r.DueUtc) },
    };

    public static TaskRow Task(BsonDocument d) => new()
    {
        Id = d["_id"].AsGuid,
        Partition = Partition(d),
        InstanceId = d["instanceId"].AsGuid,
        Definition = d["definition"].AsString,
        DefinitionVersion = d["definitionVersion"].ToInt32(),
        CorrelationKey = Text(d, "correlationKey"),
        Step = d["step"].AsString,
        State = (TaskState)d["state"].ToInt32(),
        Assignee = Text(d, "assignee"),
        Groups = [.. d["groups"].AsBsonArray.Select(g => g.AsString)],
        Output = Text(d, "output"),
        CreatedUtc = Time(d, "createdMicros"),
        UpdatedUtc = Time(d, "updatedMicros"),
        DueUtc = OptionalTime(d, "dueMicros"),
    };

    public static BsonDocument History(InstanceRow r) => new()
    {
        { "_id", new BsonDocument { { "instance", Id(r.Id) }, { "revision", r.Revision } } },
        { "lines", r.History },
    };

    public static BsonDocument Of(ChildRow r) =>
        new("_id", new BsonDocument { { "parent", Id(r.ParentId) }, { "child", Id(r.ChildId) } });

    public static BsonDocument Of(ReplyRow r) =>
        new() { { "_id", Id(r.MessageId) }, { "body", r.Body }, { "createdMicros", Micros(r.CreatedUtc) } };

    public static ReplyRow Reply(BsonDocument d) => new(d["_id"].AsGuid, d["body"].AsString, Time(d, "createdMicros"));

    public static BsonDocument Of(IdempotencyRow r) => new()
    {
        { "_id", r.Key },
        { "requestHash", r.RequestHash },
        { "resultId", Id(r.ResultId) },
        { "createdMicros", Micros(r.CreatedUtc) },
    };

    public static IdempotencyRow Key(BsonDocument d) =>
        new(d["_id"].AsString, d["requestHash"].AsString, d["resultId"].AsGuid, Time(d, "createdMicros"));

    public static BsonDocument Of(EventRow r) => new()
    {
        { "_id", EventId(r.Stream, r.Sequence) },
        { "type", r.Type },
        { "definition", Text(r.Definition) },
        { "body", Encoding.UTF8.GetString(r.Body) },
        { "createdMicros", Micros(r.CreatedUtc) },
    };

    public static EventRow Event(BsonDocument d)
    {
        var id = d["_id"].ToInt64();
        return new((int)(id >> StreamShift), id & ((1L << StreamShift) - 1), d["type"].AsString, Text(d, "definition"),
            Encoding.UTF8.GetBytes(d["body"].AsString), Time(d, "createdMicros"));
    }

    public static BsonDocument Of(DeadLetterRow r) => new()
    {
        { "_id", Id(r.Id) },
        { "partition", (int)r.Partition },
        { "kind", (int)r.Kind },
        { "subjectId", Id(r.SubjectId) },
        { "instanceId", Id(r.InstanceId) },
        { "reason", r.Reason },
        { "attempts", r.Attempts },
        { "payload", r.Payload },
        { "createdMicros", Micros(r.CreatedUtc) },
        { "lastAttemptMicros", Micros(r.LastAttemptUtc) },
        { "isOpen", r.Applied is null },
        { "replayedMicros", Micros(r.ReplayedUtc) },
        { "applied", r.Applied is { } applied ? applied : BsonNull.Value },
    };

    public static DeadLetterRow DeadLetter(BsonDocument d) => new()
    {
        Id = d["_id"].AsGuid,
        Partition = Partition(d),
        Kind = (DeadLetterKind)d["kind"].ToInt32(),
        SubjectId = d["subjectId"].AsGuid,
        InstanceId = OptionalId(d, "instanceId"),
        Reason = d["reason"].AsString,
        Attempts = d["attempts"].ToInt32(),
        Payload = d["payload"].AsString,
        CreatedUtc = Time(d, "createdMicros"),
        LastAttemptUtc = Time(d, "lastAttemptMicros"),
        ReplayedUtc = OptionalTime(d, "replayedMicros"),
        Applied = d["applied"].IsBsonNull ? null : d["applied"].AsBoolean,
    };

    public static BsonDocument IdOf(DefinitionRow r) => new() { { "name", r.Name }, { "version", r.Version } };

    public static DefinitionRow Definition(BsonDocument d) =>
        new(d["_id"]["name"].AsString, d["_id"]["version"].ToInt32(), d["contentHash"].AsString, d["body"].AsString,
            Time(d, "registeredMicros"), d["number"].ToInt64());

    private static short Partition(BsonDocument d, string name = "partition") => checked((short)d[name].ToInt32());

    private static string? Text(BsonDocument d, string name) => d[name].IsBsonNull ? null : d[name].AsString;

    private static Guid? OptionalId(BsonDocument d, string name) => d[name].IsBsonNull ? null : d[name].AsGuid;

    private static DateTimeOffset Time(BsonDocument d, string name) =>
        DateTimeOffset.UnixEpoch.AddTicks(d[name].ToInt64() * TimeSpan.TicksPerMicrosecond);

    private static DateTimeOffset? OptionalTime(BsonDocument d, string name) =>
        d[name].IsBsonNull ? null : Time(d, name);
}
