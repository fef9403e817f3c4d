using System.Buffers;
using System.Text.Encodings.Web;

namespace Workflow.Stores.Oracle;

/// <summary>
/// A batch as the one JSON document that <c>Sql/Flush.sql</c> unpacks: a list for each kind of row, how long each is,
/// and the fence. A member that has no value is null, never absent: an absent one is an error there, so that neither
/// side can forget a column.
/// </summary>
internal static class OracleFlush
{
    // The document is bound, not spliced into anything: only what JSON itself demands is escaped.
    private static readonly JsonWriterOptions Plainly = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public static string Of(FlushBatch batch, LaneAssignment lane, long epoch) => Written(json =>
    {
        // What wakes is moved to the live instances first, and then changed as they are.
        var woken = batch.Instances.Where(write => write.Origin == InstanceOrigin.Dormant).Select(write => write.Row);
        var waits = batch.Dormant.SelectMany(write => write.Waits.Select(wait => (wait, write.Id)));
        var groups = batch.Tasks.OfType<TaskRow>().SelectMany(task =>
            task.Groups.Distinct(StringComparer.Ordinal).Select(group => (Group: group, task.Id)));
        json.WriteStartObject();
        json.WriteNumber("lane", lane.Index);
        json.WriteNumber("laneCount", lane.Count);
        json.WriteNumber("epoch", epoch);
        json.WriteNumber("number", batch.Number);
        json.WriteNumber("lastSequence", batch.LastSequence);
        json.WriteNumber("publishedSequence", batch.PublishedSequence);
        json.WriteNumber("lastPosition", batch.LastPosition);
        json.WriteNumber("dormant", batch.DormantInstances);
        json.WriteNumber("dormantTasks", batch.DormantTasks);
        var counts = new List<(string Name, int Count)>();
        Rows(json, counts, "pendingRemoved", batch.PendingRemoved, FlushRows.Removed);
        Rows(json, counts, "dormantWaitsRemoved", batch.DormantWaitsRemoved, FlushRows.Wait);
        Rows(json, counts, "woken", woken, FlushRows.Woken);
        Rows(json, counts, "inserted", batch.InstancesOf(InstanceOrigin.New, isOver: false), FlushRows.Whole);
        Rows(json, counts, "updated", Live(isOver: false), FlushRows.Changed);
        Rows(json, counts, "finishedAtOnce", batch.InstancesOf(InstanceOrigin.New, isOver: true), FlushRows.Whole);
        Rows(json, counts, "finished", Live(isOver: true), FlushRows.Whole);
        Rows(json, counts, "retried", batch.InstancesOf(InstanceOrigin.Failed, isOver: false), FlushRows.Whole);
        Rows(json, counts, "finishedAgain", batch.InstancesOf(InstanceOrigin.Failed, isOver: true), FlushRows.Changed);
        Rows(json, counts, "madeDormant", batch.Dormant, FlushRows.Dormant);
        Rows(json, counts, "dormantWaitsAdded", waits, FlushRows.Wait);
        Rows(json, counts, "historyAdded", batch.HistoryApart(), FlushRows.History);
        Rows(json, counts, "pendingAdded", batch.Pending, FlushRows.Pending);
        Rows(json, counts, "tasksAdded", batch.Tasks.OfType<TaskRow>(), FlushRows.Task);
        Rows(json, counts, "taskGroupsAdded", groups, FlushRows.Group);
        Rows(json, counts, "tasksChanged", batch.Tasks.OfType<TaskChange>(), FlushRows.Change);
        Rows(json, counts, "childrenAdded", batch.Children, FlushRows.Child);
        Rows(json, counts, "replies", batch.Replies, FlushRows.Reply);
        Rows(json, counts, "deadLettersAdded", batch.DeadLetters.OfType<DeadLetterRow>(), FlushRows.DeadLetter);
        Rows(json, counts, "deadLettersChanged", batch.DeadLetters.OfType<DeadLetterChange>(), FlushRows.Change);
        Rows(json, counts, "keys", batch.Keys, FlushRows.Key);
        Rows(json, counts, "events", batch.Events, FlushRows.Event);
        json.WriteStartObject("counts");
        counts.ForEach(count => json.WriteNumber(count.Name, count.Count));
        json.WriteEndObject();
        json.WriteEndObject();

        IEnumerable<InstanceRow> Live(bool isOver) => batch.InstancesOf(InstanceOrigin.Live, isOver)
            .Concat(batch.InstancesOf(InstanceOrigin.Dormant, isOver));
    });

    /// <summary>Messages for inboxes, as <c>Sql/PutMessages.sql</c> unpacks them.</summary>
    public static string Of(IReadOnlyList<InboxMessage> messages) => Written(json =>
    {
        json.WriteStartArray();
        foreach (var message in messages)
        {
            json.WriteStartObject();
            FlushRows.Pending(json, message.Row);
            json.WriteString("key", message.Key?.Key);
            json.WriteString("requestHash", message.Key?.RequestHash);
            json.WriteString("resultId", message.Key is { } key ? OracleText.Of(key.ResultId) : null);
            json.WriteString("createdUtc", message.Key is { } stamped ? OracleText.Of(stamped.CreatedUtc) : null);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    });

    /// <summary>Ids, one an object, as every statement that takes several of them unpacks them.</summary>
    public static string Of(IEnumerable<Guid> ids) => Written(json =>
    {
        json.WriteStartArray();
        foreach (var id in ids)
        {
            json.WriteStartObject();
            FlushRows.Removed(json, id);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    });

    private static void Rows<TRow>(
        Utf8JsonWriter json, List<(string Name, int Count)> counts, string name, IEnumerable<TRow> rows,
        Action<Utf8JsonWriter, TRow> write)
    {
        var count = 0;
        json.WriteStartArray(name);
        foreach (var row in rows)
        {
            json.WriteStartObject();
            write(json, row);
            json.WriteEndObject();
            count++;
        }

        json.WriteEndArray();
        counts.Add((name, count));
    }

    private static string Written(Action<Utf8JsonWriter> write)
    {
        var buffer = new ArrayBufferWriter<byte>(1024);
        using (var json = new Utf8JsonWriter(buffer, Plainly))
        {
            write(json);
        }

        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }
}
