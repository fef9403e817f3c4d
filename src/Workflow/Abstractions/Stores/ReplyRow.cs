namespace Workflow.Abstractions.Stores;

/// <summary>
/// The reply to a message, written in the commit that handled it. A reply that is not read is removed after ten
/// minutes.
/// </summary>
/// <param name="Body">JSON. Only the engine reads and writes it.</param>
public sealed record ReplyRow(Guid MessageId, string Body, DateTimeOffset CreatedUtc);
