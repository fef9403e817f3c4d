namespace Workflow.Engine.Flush;

/// <summary>A durable message from one partition or node to another. The commit that handles it removes it.</summary>
/// <param name="Partition">The partition of the receiver.</param>
/// <param name="Kind">What the message requests.</param>
/// <param name="Body">The body of its row: an object with one member, whose name is the kind.</param>
/// <param name="Position">The order within the sender.</param>
internal sealed record Message(Guid Id, short Partition, string Kind, string Body, long Position)
{
    /// <summary>The value of that member.</summary>
    public ReadOnlyMemory<char> Json => Body.AsMemory(Kind.Length + 4, Body.Length - Kind.Length - 5);

    public static Message Of(Guid id, short partition, string kind, string json, long position) =>
        new(id, partition, kind, $$"""{"{{kind}}":{{json}}}""", position);

    /// <summary>Reads a row that the engine has written: without blanks, and without escapes in the name.</summary>
    public static Message Of(PendingRow row) =>
        new(row.Id, row.Partition, row.Body[2..row.Body.IndexOf('"', 2)], row.Body, row.Position);

    public PendingRow ToRow() => new(Id, Partition, PendingKind.Message, Position, Body);
}
