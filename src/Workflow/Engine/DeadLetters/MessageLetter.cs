using System.Text.Json;
using Workflow.Abstractions.Stores;

namespace Workflow.Engine.DeadLetters;

/// <summary>The payload of a dead message.</summary>
internal sealed record MessageLetter(string Kind, JsonElement Body)
{
    /// <summary>The body goes in as it is: a position has more digits than a number of an expression.</summary>
    public static MessageLetter From(MessageRow message)
    {
        using var body = JsonDocument.Parse(message.Body);
        return new(message.Kind, body.RootElement.Clone());
    }
}
