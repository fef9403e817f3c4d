namespace Workflow.Abstractions.Stores;

/// <param name="Row">A message.</param>
/// <param name="Key">The idempotency key of the message; null if it has none.</param>
public sealed record InboxMessage(PendingRow Row, IdempotencyRow? Key = null);
