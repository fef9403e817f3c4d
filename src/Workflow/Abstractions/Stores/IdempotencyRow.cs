namespace Workflow.Abstractions.Stores;

/// <summary>An idempotency key and the result of its request.</summary>
/// <param name="Key">The caller's key, prefixed with the kind of request.</param>
/// <param name="RequestHash">Hash of the request, so that a key used for another request is noticed.</param>
/// <param name="ResultId">The id of the started instance, the accepted signal or the changed object.</param>
public sealed record IdempotencyRow(string Key, string RequestHash, Guid ResultId, DateTimeOffset CreatedUtc);
