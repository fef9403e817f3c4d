namespace Workflow.Stores.Oracle;

/// <summary>The members of each kind of row, in the names that <c>Sql/Flush.sql</c> reads them by.</summary>
internal static class FlushRows
{
    public static void Removed(Utf8JsonWriter json, Guid id) => Id(json, "id", id);

    public static void Wait(Utf8JsonWriter json, DormantWait wait)
    {
        json.WriteNumber("slot", wait.Slot);
        Id(json, "waitId", wait.WaitId);
    }

    public static void Wait(Utf8JsonWriter json, (DormantWait Wait, Guid Instance) row)
    {
        Wait(json, row.Wait);
        Id(json, "instanceId", row.Instance);
    }

    /// <summary>The revision is that of the dormant row.</summary>
    public static void Woken(Utf8JsonWriter json, InstanceRow row)
    {
        Id(json, "id", row.Id);
        json.WriteNumber("revision", row.Revision - 1);
    }

    public static void Dormant(Utf8JsonWriter json, DormantWrite row)
    {
        Id(json, "id", row.Id);
        json.WriteNumber("revision", row.Revision);
        Instant(json, "nextDueUtc", row.NextDueUtc);
    }

    public static void Whole(Utf8JsonWriter json, InstanceRow row)
    {
        Changed(json, row);
        json.WriteNumber("partition", row.Partition);
        json.WriteString("definition", row.Definition);
        json.WriteNumber("definitionVersion", row.DefinitionVersion);
        json.WriteString("correlationKey", row.CorrelationKey);
        Instant(json, "createdUtc", row.CreatedUtc);
    }

    public static void Changed(Utf8JsonWriter json, InstanceRow row)
    {
        Id(json, "id", row.Id);
        json.WriteNumber("revision", row.Revision);
        json.WriteNumber("state", (int)row.State);
        json.WriteString("body", row.Body);
        json.WriteString("history", row.HistoryInRow);
        Instant(json, "updatedUtc", row.UpdatedUtc);
    }

    public static void History(Utf8JsonWriter json, InstanceRow row)
    {
        Id(json, "instanceId", row.Id);
        json.WriteNumber("revision", row.Revision);
        json.WriteString("lines", row.History);
    }

    public static void Pending(Utf8JsonWriter json, PendingRow row)
    {
        Id(json, "id", row.Id);
        json.WriteNumber("partition", row.Partition);
        json.WriteNumber("kind", (int)row.Kind);
        json.WriteNumber("position", row.Position);
        json.WriteString("body", row.Body);
    }

    public static void Task(Utf8JsonWriter json, TaskRow row)
    {
        Id(json, "id", row.Id);
        json.WriteNumber("partition", row.Partition);
        Id(json, "instanceId", row.InstanceId);
        json.WriteString("definition", row.Definition);
        json.WriteNumber("definitionVersion", row.DefinitionVersion);
        json.WriteString("correlationKey", row.CorrelationKey);
        json.WriteString("step", row.Step);
        json.WriteNumber("state", (int)row.State);
        json.WriteString("assignee", row.Assignee);
        json.WriteString("groupNames", JsonSerializer.Serialize(row.Groups));
        json.WriteString("output", row.Output);
        Instant(json, "createdUtc", row.CreatedUtc);
        Instant(json, "updatedUtc", row.UpdatedUtc);
        Instant(json, "dueUtc", row.DueUtc);
    }

    public static void Group(Utf8JsonWriter json, (string Group, Guid Task) row)
    {
        json.WriteString("groupName", row.Group);
        Id(json, "taskId", row.Task);
    }

    public static void Change(Utf8JsonWriter json, TaskChange row)
    {
        Id(json, "id", row.Id);
        json.WriteNumber("state", (int)row.State);
        json.WriteString("assignee", row.Assignee);
        json.WriteString("output", row.Output);
        Instant(json, "updatedUtc", row.UpdatedUtc);
    }

    public static void Child(Utf8JsonWriter json, ChildRow row)
    {
        Id(json, "parentId", row.ParentId);
        Id(json, "childId", row.ChildId);
    }

    public static void Reply(Utf8JsonWriter json, ReplyRow row)
    {
        Id(json, "messageId", row.MessageId);
        json.WriteString("body", row.Body);
        Instant(json, "createdUtc", row.CreatedUtc);
    }

    public static void DeadLetter(Utf8JsonWriter json, DeadLetterRow row)
    {
        Id(json, "id", row.Id);
        json.WriteNumber("partition", row.Partition);
        json.WriteNumber("kind", (int)row.Kind);
        Id(json, "subjectId", row.SubjectId);
        Id(json, "instanceId", row.InstanceId);
        json.WriteString("reason", row.Reason);
        json.WriteNumber("attempts", row.Attempts);
        json.WriteString("payload", row.Payload);
        Instant(json, "createdUtc", row.CreatedUtc);
        Instant(json, "lastAttemptUtc", row.LastAttemptUtc);
    }

    public static void Change(Utf8JsonWriter json, DeadLetterChange row)
    {
        Id(json, "id", row.Id);
        json.WriteString("reason", row.Reason);
        json.WriteNumber("attempts", row.Attempts);
        Instant(json, "lastAttemptUtc", row.LastAttemptUtc);
        if (row.Applied is { } applied)
        {
            json.WriteNumber("applied", applied ? 1 : 0);
        }
        else
        {
            json.WriteNull("applied");
        }
    }

    public static void Key(Utf8JsonWriter json, IdempotencyRow row)
    {
        json.WriteString("key", row.Key);
        json.WriteString("requestHash", row.RequestHash);
        Id(json, "resultId", row.ResultId);
        Instant(json, "createdUtc", row.CreatedUtc);
    }

    public static void Event(Utf8JsonWriter json, EventRow row)
    {
        json.WriteNumber("stream", row.Stream);
        json.WriteNumber("sequence", row.Sequence);
        json.WriteString("type", row.Type);
        json.WriteString("definition", row.Definition);
        json.WriteString("body", row.Body);
        Instant(json, "createdUtc", row.CreatedUtc);
    }

    private static void Id(Utf8JsonWriter json, string name, Guid? id) =>
        json.WriteString(name, id is { } value ? OracleText.Of(value) : null);

    private static void Instant(Utf8JsonWriter json, string name, DateTimeOffset? instant) =>
        json.WriteString(name, instant is { } value ? OracleText.Of(value) : null);
}
