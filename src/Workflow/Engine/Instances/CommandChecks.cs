using System.Security.Cryptography;
using System.Text;
using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Expressions;

namespace Workflow.Engine.Instances;

/// <summary>Refuses commands with arguments that no store can hold, before they reach a lane.</summary>
internal static class CommandChecks
{
    private const int MaxCorrelationKey = 512;
    private const int MaxIdempotencyKey = 256;
    private const int MaxName = 128;

    /// <summary>Characters in the name of a person or a group.</summary>
    public const int MaxAssignee = 256;

    public static void Check(StartCommand command)
    {
        CheckText("correlationKey", command.CorrelationKey, MaxCorrelationKey, required: false);
        CheckText("Idempotency-Key", command.IdempotencyKey, MaxIdempotencyKey, required: false);
        if (command.Input.Kind is not (ValueKind.Null or ValueKind.Context))
        {
            throw new InvalidCommandException(
                "input", $"The input is a {command.Input.Kind}; it must be an object whose members become the first variables.");
        }

        CheckValue("input", command.Input);
    }

    public static void Check(SignalCommand command)
    {
        CheckText("name", command.Name, MaxName, required: true);
        CheckText("correlationKey", command.CorrelationKey, MaxCorrelationKey, required: command.InstanceId is null);
        CheckText("Idempotency-Key", command.IdempotencyKey, MaxIdempotencyKey, required: false);
        if (command.CorrelationKey is not null && command.InstanceId is not null)
        {
            throw new InvalidCommandException(
                "correlationKey", "A signal goes to a correlation key or to an instance, not to both: leave one out.");
        }

        if (command.DueAt is not null && command.InstanceId is not null)
        {
            throw new InvalidCommandException(
                "dueAt", "Only a signal with a correlation key can be delayed: leave dueAt out, or send it by key.");
        }

        CheckValue("payload", command.Payload);
    }

    public static void Check(CompleteTaskCommand command)
    {
        CheckText("Idempotency-Key", command.IdempotencyKey, MaxIdempotencyKey, required: false);
        CheckValue("output", command.Output);
    }

    public static void CheckLimit(int limit)
    {
        if (limit is < 1 or > 1_000)
        {
            throw new InvalidCommandException("limit", $"'limit' is {limit}; it must be 1 to 1000.");
        }
    }

    public static void CheckAssignee(string assignee) => CheckText("assignee", assignee, MaxAssignee, required: true);

    /// <summary>Whether every store can hold it as the name of a person or a group.</summary>
    public static bool IsName(string text) => text.Length is >= 1 and <= MaxAssignee && IsText(text);

    /// <summary>Hash of what makes two requests the same.</summary>
    public static string? Hash(string? idempotencyKey, params ReadOnlySpan<string?> parts)
    {
        if (idempotencyKey is null)
        {
            return null;
        }

        var text = new StringBuilder();
        foreach (var part in parts)
        {
            text.Append(part?.Length ?? -1).Append(':').Append(part).Append('|');
        }

        return Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(text.ToString())))[..32];
    }

    private static void CheckText(string parameter, string? text, int limit, bool required)
    {
        if (text is null or "")
        {
            if (required || text is "")
            {
                throw new InvalidCommandException(parameter, $"'{parameter}' is empty; give 1 to {limit} characters.");
            }

            return;
        }

        if (text.Length > limit)
        {
            throw new InvalidCommandException(
                parameter, $"'{parameter}' has {text.Length} characters, begins with '{text[..32]}'; the limit is {limit}.");
        }

        if (!IsText(text))
        {
            throw new InvalidCommandException(
                parameter, $"'{parameter}' holds U+0000 or half of a surrogate pair, which no store keeps; remove it.");
        }
    }

    private static bool IsText(string text) => !text.Contains('\0', StringComparison.Ordinal) && ValueChecks.IsWellFormed(text);

    private static void CheckValue(string parameter, Value value)
    {
        if (ValueChecks.Problem(value) is { } problem)
        {
            throw new InvalidCommandException(parameter, $"'{parameter}' {problem}.");
        }
    }
}

/// <summary>Finds values that a store cannot hold and return unchanged: they must not enter an instance.</summary>
internal static class ValueChecks
{
    /// <summary>What is wrong with the value, as the end of a sentence about it; null when nothing is.</summary>
    public static string? Problem(Value value) =>
        value.Depth > ExpressionCompiler.MaxValueDepth ? $"nests {value.Depth} levels deep; the limit is {ExpressionCompiler.MaxValueDepth}"
        : IsWellFormed(value) ? null
        : "holds a string with half of a surrogate pair, which is not text; remove it";

    public static bool IsWellFormed(string text)
    {
        for (var i = 0; i < text.Length; i++)
        {
            if (char.IsSurrogate(text[i]) && !(i + 1 < text.Length && char.IsSurrogatePair(text[i], text[++i])))
            {
                return false;
            }
        }

        return true;
    }

    private static bool IsWellFormed(Value value) => value.Kind switch
    {
        ValueKind.String => IsWellFormed(value.AsString()),
        ValueKind.List => value.AsList().All(IsWellFormed),
        ValueKind.Context => value.AsContext().All(m => IsWellFormed(m.Key) && IsWellFormed(m.Value)),
        _ => true,
    };
}
