using Workflow.Contracts;

namespace Workflow.Engine.Commands;

/// <summary>The reply to a command of another node: its result or its refusal.</summary>
internal sealed record RemoteReply
{
    public JsonElement? Result { get; init; }
    public string? Code { get; init; }
    public string? Message { get; init; }

    /// <summary>The key or dead letter that the refusal is about.</summary>
    public string? Subject { get; init; }

    public int Attempts { get; init; }

    /// <summary>When to try again; null unless the refusal is temporary.</summary>
    public double? RetryAfterSeconds { get; init; }

    public static RemoteReply Of<T>(T result) =>
        new() { Result = JsonSerializer.SerializeToElement(result, ContractsJson.Default) };

    public static RemoteReply Of(Exception refusal) => refusal switch
    {
        IdempotencyConflictException e => new() { Code = e.Code, Subject = e.Key },
        DeadLetterRefusedException e => new()
        {
            Code = e.Code, Subject = e.Id.ToString(), Attempts = e.Attempts, Message = e.Reason,
        },
        OverloadedException e => Of(e, e.RetryAfter),
        SignalsFullException e => Of(e, e.RetryAfter),
        WorkflowException e => Of(e, retryAfter: null),
        _ => new() { Code = "command-rejected", Message = refusal.Message },
    };

    private static RemoteReply Of(WorkflowException refusal, TimeSpan? retryAfter) => new()
    {
        Code = refusal.Code, Message = refusal.Message, RetryAfterSeconds = retryAfter?.TotalSeconds,
    };

    public static RemoteReply Parse(string json) =>
        JsonSerializer.Deserialize<RemoteReply>(json, ContractsJson.Default)!;

    public string ToJson() => JsonSerializer.Serialize(this, ContractsJson.Default);

    /// <summary>Returns the result, which may be null, or throws the refusal.</summary>
    public T Get<T>() => Code switch
    {
        null => Result is { } result ? result.Deserialize<T>(ContractsJson.Default)! : default!,
        "idempotency-conflict" => throw new IdempotencyConflictException(Subject!),
        "overloaded" => throw OverloadedException.OfOwner(Message!, TimeSpan.FromSeconds(RetryAfterSeconds ?? 1)),
        "signals-full" => throw SignalsFullException.OfOwner(Message!, TimeSpan.FromSeconds(RetryAfterSeconds ?? 1)),
        "dead-letter-refused" => throw new DeadLetterRefusedException(Guid.Parse(Subject!), Attempts, Message!),
        _ => throw new CommandRejectedException(Message ?? Code),
    };
}
