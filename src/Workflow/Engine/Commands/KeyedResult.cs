namespace Workflow.Engine.Commands;

/// <summary>The result of a command that its caller may send again with the same idempotency key.</summary>
/// <param name="Result">Null if only the store knows the outcome.</param>
/// <param name="IsRepeated">Whether an earlier request with the same key was applied; then there is no result.</param>
internal sealed record KeyedResult<T>(T? Result, bool IsRepeated)
    where T : class;
