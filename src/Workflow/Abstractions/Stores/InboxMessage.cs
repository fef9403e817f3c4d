namespace Workflow.Abstractions.Stores;

/// <summary>A message for an inbox.</summary>
/// <param name="Row">The message.</param>
/// <param name="Key">Its idempotency key, which names the message or what comes of it; null without one.</param>
public sealed record InboxMessage(MessageRow Row, IdempotencyRow? Key = null);
