namespace Workflow.Engine.Flush;

/// <summary>Something live of a lane that becomes a pending row, unless it is gone before its batch is sealed.</summary>
internal interface IPending
{
    Guid Id { get; }

    PendingRow ToRow(JsonBuffer json);
}

/// <summary>A durable message from one partition or node to another, removed in the commit that handles it.</summary>
/// <param name="Partition">The partition it is for.</param>
/// <param name="Kind">What it asks.</param>
/// <param name="Body">That of its row: an object with one member, whose name is the kind.</param>
/// <param name="Position">Order within the sender.</param>
internal sealed record Message(Guid Id, short Partition, string Kind, string Body, long Position)
{
    /// <summary>The value of that member.</summary>
    public ReadOnlyMemory<char> Json => Body.AsMemory(Kind.Length + 4, Body.Length - Kind.Length - 5);

    /// <param name="json">What is to be known of what it asks.</param>
    public static Message Of(Guid id, short partition, string kind, string json, long position) =>
        new(id, partition, kind, $$"""{"{{kind}}":{{json}}}""", position);

    /// <summary>A row as the engine has written it: no blank, no escape in the name.</summary>
    public static Message Of(PendingRow row) => new(row.Id, row.Partition, row.Body[2..row.Body.IndexOf('"', 2)], row.Body, row.Position);

    public PendingRow ToRow() => new(Id, Partition, PendingKind.Message, Position, Body);
}
