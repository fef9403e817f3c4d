using System.Security.Cryptography;
using System.Text;
using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Engine;

/// <summary>Refuses commands whose arguments no store could hold, before they reach a lane.</summary>
internal static class CommandChecks
{
    private const int MaxCorrelationKey = 512;
    private const int MaxIdempotencyKey = 256;
    private const int MaxName = 128;

    public static void Check(StartCommand command)
    {
        CheckText("correlationKey", command.CorrelationKey, MaxCorrelationKey, required: false);
        CheckText("Idempotency-Key", command.IdempotencyKey, MaxIdempotencyKey, required: false);
        if (command.Input.Kind is not (ValueKind.Null or ValueKind.Context))
        {
            throw new InvalidCommandException("input", $"The input is a {command.Input.Kind}; it must be an object whose members become the first variables.");
        }

        CheckUnicode("input", command.Input);
    }

    public static void Check(SignalCommand command)
    {
        CheckText("name", command.Name, MaxName, required: true);
        CheckText("correlationKey", command.CorrelationKey, MaxCorrelationKey, required: command.InstanceId is null);
        CheckText("Idempotency-Key", command.IdempotencyKey, MaxIdempotencyKey, required: false);
        if (command.CorrelationKey is not null && command.InstanceId is not null)
        {
            throw new InvalidCommandException("correlationKey", "A signal goes to a correlation key or to an instance, not to both: leave one out.");
        }

        if (command.DueAt is not null && command.InstanceId is not null)
        {
            throw new InvalidCommandException("dueAt", "Only a signal with a correlation key can be delayed: leave dueAt out, or send it by key.");
        }

        CheckUnicode("payload", command.Payload);
    }

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
            throw new InvalidCommandException(parameter, $"'{parameter}' has {text.Length} characters, begins with '{text[..32]}'; the limit is {limit}.");
        }

        if (text.Contains('\0', StringComparison.Ordinal) || !IsWellFormed(text))
        {
            throw new InvalidCommandException(parameter, $"'{parameter}' holds U+0000 or half of a surrogate pair, which no store keeps; remove it.");
        }
    }

    /// <summary>JSON escapes carry U+0000 safely; half of a surrogate pair cannot be written as UTF-8.</summary>
    private static void CheckUnicode(string parameter, Value value)
    {
        switch (value.Kind)
        {
            case ValueKind.String when !IsWellFormed(value.AsString()):
                throw new InvalidCommandException(parameter, $"'{parameter}' holds a string with half of a surrogate pair, which is not text; remove it.");
            case ValueKind.List:
                foreach (var item in value.AsList())
                {
                    CheckUnicode(parameter, item);
                }

                break;
            case ValueKind.Context:
                foreach (var (name, member) in value.AsContext())
                {
                    CheckUnicode(parameter, Value.From(name));
                    CheckUnicode(parameter, member);
                }

                break;
        }
    }

    private static bool IsWellFormed(string text)
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
}
