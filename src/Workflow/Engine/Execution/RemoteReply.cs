using System.Text.Json;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts;

namespace Workflow.Engine.Execution;

/// <summary>The reply to a command in an inbox: its result, or why it was refused.</summary>
internal sealed record RemoteReply
{
    public JsonElement? Result { get; init; }
    public string? Code { get; init; }
    public string? Message { get; init; }

    /// <summary>What the refusal is about: a key or a dead letter.</summary>
    public string? Subject { get; init; }

    public int Attempts { get; init; }

    public static RemoteReply Of<T>(T result) => new() { Result = JsonSerializer.SerializeToElement(result, ContractsJson.Default) };

    public static RemoteReply Of(Exception refusal) => refusal switch
    {
        IdempotencyConflictException e => new() { Code = e.Code, Subject = e.Key },
        DeadLetterRefusedException e => new() { Code = e.Code, Subject = e.Id.ToString(), Attempts = e.Attempts, Message = e.Reason },
        WorkflowException e => new() { Code = e.Code, Message = e.Message },
        _ => new() { Code = "command-rejected", Message = refusal.Message },
    };

    public static RemoteReply Parse(string json) =>
        JsonSerializer.Deserialize<RemoteReply>(json, ContractsJson.Default)
            ?? throw new JsonException("The reply to a command is the JSON text null.");

    public string ToJson() => JsonSerializer.Serialize(this, ContractsJson.Default);

    /// <summary>The result, which may be null, or the refusal.</summary>
    public T Get<T>() => Code switch
    {
        null => Result is { } result ? result.Deserialize<T>(ContractsJson.Default)! : default!,
        "idempotency-conflict" => throw new IdempotencyConflictException(Subject!),
        "dead-letter-refused" => throw new DeadLetterRefusedException(Guid.Parse(Subject!), Attempts, Message!),
        _ => throw new CommandRejectedException(Message ?? Code),
    };
}
