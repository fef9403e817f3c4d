using System.Buffers;
using System.Runtime.CompilerServices;
using System.Text.Unicode;
using Workflow.Contracts;
using Workflow.Contracts.Events;

namespace Workflow.WebService.Responses;

/// <summary>
/// An event as every stream writes it, but for the position and the time at which it leaves. The first stream makes it;
/// the others, of which there may be thousands, find it here.
/// </summary>
internal sealed class SharedFrame
{
    private const int Places = 64;
    private const int LongestKept = 16 * 1024;

    private static readonly SharedFrame?[] s_recent = new SharedFrame?[Places];

    private readonly IntegrationEvent _event;
    private readonly byte[] _text;

    /// <summary>Where the time belongs: at the beginning of the event's own times.</summary>
    private readonly int _times;

    private SharedFrame(IntegrationEvent value)
    {
        var (head, json) = (
            Encoding.UTF8.GetBytes($"\nevent: {OneLine(value.Type)}\ndata: "),
            JsonSerializer.SerializeToUtf8Bytes(value, value.GetType(), ContractsJson.Default));
        _event = value;
        _text = [.. head, .. json, .. "\n\n"u8];
        _times = head.Length + BeginOfTimes(json);
    }

    public bool IsKept => _text.Length <= LongestKept;

    public static SharedFrame Of(IntegrationEvent value)
    {
        ref var place = ref s_recent[RuntimeHelpers.GetHashCode(value) % Places];
        if (Volatile.Read(ref place) is { } kept && ReferenceEquals(kept._event, value))
        {
            return kept;
        }

        var made = new SharedFrame(value);
        if (made.IsKept)
        {
            Volatile.Write(ref place, made);
        }

        return made;
    }

    /// <summary>
    /// Says when the event left. One that was read again from the store says it no more than it says when it was
    /// committed: its other times may be of another boot, and a difference between the two would be no duration.
    /// </summary>
    public void WriteTo(IBufferWriter<byte> output, TimeProvider timeProvider)
    {
        if (_event.Timestamps.CommittedTicks is null)
        {
            output.Write(_text);
            return;
        }

        output.Write(_text.AsSpan(0, _times));
        var stamp = output.GetSpan(128);
        Utf8.TryWrite(
            stamp, CultureInfo.InvariantCulture,
            $"\"publishedUtc\":\"{timeProvider.GetUtcNow():O}\",\"publishedTicks\":{timeProvider.GetTimestamp()},",
            out var length);
        output.Advance(length);
        output.Write(_text.AsSpan(_times));
    }

    private static int BeginOfTimes(ReadOnlySpan<byte> json)
    {
        var reader = new Utf8JsonReader(json);
        while (reader.Read())
        {
            if (reader.CurrentDepth == 1 && reader.TokenType == JsonTokenType.PropertyName
                && reader.ValueTextEquals("timestamps"u8))
            {
                reader.Read();
                return (int)reader.BytesConsumed;
            }
        }

        throw new InvalidOperationException("An event without times.");
    }

    /// <summary>A line end in a name would end the field.</summary>
    private static string OneLine(string name) =>
        name.AsSpan().ContainsAny('\r', '\n') ? name.ReplaceLineEndings(" ") : name;
}
