using System.Data.Common;
using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Tasks;

namespace Workflow.Stores.Oracle;

/// <summary>
/// Reads rows in the column order of the statements in <c>Sql/</c>. An empty text is null in the database.
/// </summary>
internal static class OracleRows
{
    public static InstanceRow Instance(DbDataReader r) => new()
    {
        Id = Id(r, 0),
        Partition = Small(r, 1),
        Definition = r.GetString(2),
        DefinitionVersion = r.GetInt32(3),
        Revision = r.GetInt64(4),
        State = (InstanceState)Small(r, 5),
        CorrelationKey = Text(r, 6),
        Body = r.GetString(7),
        CreatedUtc = Time(r, 8),
        UpdatedUtc = Time(r, 9),
    };

    public static DormantDue DormantDue(DbDataReader r) => new(Instance(r), Time(r, 10));

    public static PendingRow Pending(DbDataReader r) =>
        new(Id(r, 0), Small(r, 1), (PendingKind)Small(r, 2), r.GetInt64(3), r.GetString(4));

    public static TaskRow Task(DbDataReader r) => new()
    {
        Id = Id(r, 0),
        Partition = Small(r, 1),
        InstanceId = Id(r, 2),
        Definition = r.GetString(3),
        DefinitionVersion = r.GetInt32(4),
        CorrelationKey = Text(r, 5),
        Step = r.GetString(6),
        State = (TaskState)Small(r, 7),
        Assignee = Text(r, 8),
        Groups = JsonSerializer.Deserialize<string[]>(r.GetString(9))!,
        Output = Text(r, 10),
        CreatedUtc = Time(r, 11),
        UpdatedUtc = Time(r, 12),
        DueUtc = OptionalTime(r, 13),
    };

    public static ReplyRow Reply(DbDataReader r) => new(Id(r, 0), r.GetString(1), Time(r, 2));

    public static IdempotencyRow Key(DbDataReader r) => new(r.GetString(0), r.GetString(1), Id(r, 2), Time(r, 3));

    public static EventRow Event(DbDataReader r) =>
        new(r.GetInt32(0), r.GetInt64(1), r.GetString(2), Text(r, 3), Encoding.UTF8.GetBytes(r.GetString(4)),
            Time(r, 5));

    public static DeadLetterRow DeadLetter(DbDataReader r) => new()
    {
        Id = Id(r, 0),
        Partition = Small(r, 1),
        Kind = (DeadLetterKind)Small(r, 2),
        SubjectId = Id(r, 3),
        InstanceId = OptionalId(r, 4),
        Reason = Text(r, 5) ?? "",
        Attempts = r.GetInt32(6),
        Payload = r.GetString(7),
        CreatedUtc = Time(r, 8),
        LastAttemptUtc = Time(r, 9),
        ReplayedUtc = OptionalTime(r, 10),
        Applied = r.IsDBNull(11) ? null : r.GetInt32(11) != 0,
    };

    public static DefinitionRow Definition(DbDataReader r) =>
        new(r.GetString(0), r.GetInt32(1), r.GetString(2), r.GetString(3), Time(r, 4), r.GetInt64(5));

    public static Guid Id(DbDataReader r, int column) => new(r.GetFieldValue<byte[]>(column), bigEndian: true);

    public static Guid? OptionalId(DbDataReader r, int column) => r.IsDBNull(column) ? null : Id(r, column);

    public static string? Text(DbDataReader r, int column) => r.IsDBNull(column) ? null : r.GetString(column);

    public static DateTimeOffset Time(DbDataReader r, int column) =>
        new(DateTime.SpecifyKind(r.GetDateTime(column), DateTimeKind.Utc));

    private static DateTimeOffset? OptionalTime(DbDataReader r, int column) =>
        r.IsDBNull(column) ? null : Time(r, column);

    private static short Small(DbDataReader r, int column) => checked((short)r.GetInt32(column));
}
