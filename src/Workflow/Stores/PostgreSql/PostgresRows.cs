using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Tasks;

namespace Workflow.Stores.PostgreSql;

/// <summary>Reads rows in the column order of the statements in <c>Sql/</c>.</summary>
internal static class PostgresRows
{
    public static InstanceRow Instance(NpgsqlDataReader r) => new()
    {
        Id = r.GetGuid(0),
        Partition = r.GetInt16(1),
        Definition = r.GetString(2),
        DefinitionVersion = r.GetInt32(3),
        Revision = r.GetInt64(4),
        State = (InstanceState)r.GetInt16(5),
        CorrelationKey = Text(r, 6),
        Body = r.GetString(7),
        CreatedUtc = Time(r, 8),
        UpdatedUtc = Time(r, 9),
    };

    public static DormantDue DormantDue(NpgsqlDataReader r) => new(Instance(r), Time(r, 10));

    /// <summary>What is known of a lane before its rows are read, and how many lanes there were then.</summary>
    public static (LaneSnapshot End, int? Lanes) LaneEnd(NpgsqlDataReader r, long epoch) => (
        new()
        {
            Epoch = epoch,
            LastBatch = r.GetInt64(0),
            LastSequence = r.GetInt64(1),
            PublishedSequence = r.GetInt64(2),
            LastMessagePosition = r.GetInt64(3),
            LastPosition = r.GetInt64(4),
            DormantInstances = r.GetInt64(5),
            DormantTasks = r.GetInt64(6),
            Pending = [],
            DeadLetters = [],
        },
        r.IsDBNull(7) ? null : r.GetInt32(7));

    public static PendingRow Pending(NpgsqlDataReader r) =>
        new(r.GetGuid(0), r.GetInt16(1), (PendingKind)r.GetInt16(2), r.GetInt64(3), r.GetString(4));

    public static TaskRow Task(NpgsqlDataReader r) => new()
    {
        Id = r.GetGuid(0),
        Partition = r.GetInt16(1),
        InstanceId = r.GetGuid(2),
        Definition = r.GetString(3),
        DefinitionVersion = r.GetInt32(4),
        CorrelationKey = Text(r, 5),
        Step = r.GetString(6),
        State = (TaskState)r.GetInt16(7),
        Assignee = Text(r, 8),
        Groups = r.GetFieldValue<string[]>(9),
        Output = Text(r, 10),
        CreatedUtc = Time(r, 11),
        UpdatedUtc = Time(r, 12),
        DueUtc = r.IsDBNull(13) ? null : Time(r, 13),
    };

    public static ReplyRow Reply(NpgsqlDataReader r) => new(r.GetGuid(0), r.GetString(1), Time(r, 2));
    public static NodeRow Node(NpgsqlDataReader r) =>
        new(r.GetGuid(0), r.GetString(1), Time(r, 2), r.GetBoolean(3),
            Text(r, 4) is { } address ? new Uri(address) : null);

    public static LeaseRow Lease(NpgsqlDataReader r) =>
        new(r.GetInt32(0), r.IsDBNull(1) ? null : r.GetGuid(1), r.GetTimeSpan(2), r.GetInt64(3), r.GetInt64(4));

    public static IdempotencyRow Key(NpgsqlDataReader r) =>
        new(r.GetString(0), r.GetString(1), r.GetGuid(2), Time(r, 3));

    public static DeadLetterRow DeadLetter(NpgsqlDataReader r) => new()
    {
        Id = r.GetGuid(0),
        Partition = r.GetInt16(1),
        Kind = (DeadLetterKind)r.GetInt16(2),
        SubjectId = r.GetGuid(3),
        InstanceId = r.IsDBNull(4) ? null : r.GetGuid(4),
        Reason = r.GetString(5),
        Attempts = r.GetInt32(6),
        Payload = r.GetString(7),
        CreatedUtc = Time(r, 8),
        LastAttemptUtc = Time(r, 9),
        ReplayedUtc = r.IsDBNull(10) ? null : Time(r, 10),
        Applied = r.IsDBNull(11) ? null : r.GetBoolean(11),
    };

    public static DefinitionRow Definition(NpgsqlDataReader r) =>
        new(r.GetString(0), r.GetInt32(1), r.GetString(2), r.GetString(3), Time(r, 4), r.GetInt64(5));

    private static string? Text(NpgsqlDataReader r, int column) => r.IsDBNull(column) ? null : r.GetString(column);
    private static DateTimeOffset Time(NpgsqlDataReader r, int column) => new(r.GetDateTime(column), TimeSpan.Zero);
}
