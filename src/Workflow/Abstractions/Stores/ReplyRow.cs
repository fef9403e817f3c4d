namespace Workflow.Abstractions.Stores;

/// <summary>
/// The answer to a message, written in the commit that handled it. One that nobody takes is removed after ten minutes.
/// </summary>
/// <param name="Body">JSON, written and read by the engine alone.</param>
public sealed record ReplyRow(Guid MessageId, string Body, DateTimeOffset CreatedUtc);
