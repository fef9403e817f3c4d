namespace Workflow.Engine.Commands;

/// <summary>
/// The wait of an instance of another partition, stored in the partition of its correlation key. Its pending row has
/// <c>n</c> name, <c>y</c> correlation key, <c>i</c> instance.
/// </summary>
/// <param name="Position">The order in which waits began. The oldest is served first.</param>
internal sealed record Subscription(
    Guid Id, short Partition, string Name, string CorrelationKey, Guid InstanceId, long Position) : IPending
{
    public PendingRow ToRow(JsonBuffer json) =>
        new(Id, Partition, PendingKind.Subscription, Position, json.WriteText(this, Write));

    public static Subscription Of(PendingRow row)
    {
        using var document = JsonDocument.Parse(row.Body);
        var body = document.RootElement;
        return new(row.Id, row.Partition, body.GetProperty("n"u8).GetString()!, body.GetProperty("y"u8).GetString()!,
            body.GetProperty("i"u8).GetGuid(), row.Position);
    }

    private static void Write(Utf8JsonWriter writer, Subscription subscription)
    {
        writer.WriteStartObject();
        writer.WriteString("n"u8, subscription.Name);
        writer.WriteString("y"u8, subscription.CorrelationKey);
        writer.WriteString("i"u8, subscription.InstanceId);
        writer.WriteEndObject();
    }
}
