namespace Workflow.Abstractions.Stores;

/// <summary>The answer to a message, written in the commit that has handled it. One that nobody takes is removed after ten minutes.</summary>
/// <param name="MessageId">The message.</param>
/// <param name="Body">JSON, written and read by the engine alone.</param>
/// <param name="CreatedUtc">When (UTC).</param>
public sealed record ReplyRow(Guid MessageId, string Body, DateTimeOffset CreatedUtc);
