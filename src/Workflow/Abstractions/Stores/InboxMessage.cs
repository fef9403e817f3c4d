namespace Workflow.Abstractions.Stores;

/// <param name="Row">A message.</param>
/// <param name="Key">Its idempotency key, which names the message or what comes of it; null without one.</param>
public sealed record InboxMessage(PendingRow Row, IdempotencyRow? Key = null);
