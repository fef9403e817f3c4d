using System.Buffers;
using System.Numerics;
using Workflow.Abstractions.Definitions.Compilation;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Abstractions;

/// <summary>
/// An immutable value: null (the default), boolean, decimal number, string, list or context, as in FEEL and JSON.
/// </summary>
public readonly struct Value : IEquatable<Value>
{
    private readonly decimal _number;
    private readonly object? _reference;

    private Value(ValueKind kind, decimal number, object? reference)
    {
        Kind = kind;
        _number = number;
        _reference = reference;
    }

    public static Value Null => default;

    public ValueKind Kind { get; }

    public bool IsNull => Kind == ValueKind.Null;

    /// <summary>True only for the boolean true: null and other kinds are not true.</summary>
    public bool IsTrue => Kind == ValueKind.Boolean && _number != 0;

    /// <summary>Makes a string; a null reference makes <see cref="Null"/>.</summary>
    public static Value From(string? text) => text is null ? Null : new(ValueKind.String, 0, text);

    public static Value From(decimal number) => new(ValueKind.Number, number, null);
    public static Value From(bool flag) => new(ValueKind.Boolean, flag ? 1 : 0, null);

    /// <summary>
    /// The shortest text of a number: no exponent and no trailing zeros, so that equal numbers have equal texts.
    /// </summary>
    public static string TextOf(decimal number) =>
        number == 0 ? "0" : number.ToString("0.############################", CultureInfo.InvariantCulture);

    /// <summary>Makes a list. The array must not be changed afterwards.</summary>
    public static Value From(Value[] items) => new(ValueKind.List, ExtentOf(items), items);

    /// <summary>Makes a context. The dictionary must not be changed afterwards.</summary>
    public static Value From(IReadOnlyDictionary<string, Value> members) =>
        new(ValueKind.Context, ExtentOf(members), members);

    /// <exception cref="InvalidOperationException">The value is of another kind.</exception>
    public bool AsBoolean() => Kind == ValueKind.Boolean ? _number != 0 : throw Mismatch(ValueKind.Boolean);

    /// <exception cref="InvalidOperationException">The value is of another kind.</exception>
    public decimal AsNumber() => Kind == ValueKind.Number ? _number : throw Mismatch(ValueKind.Number);

    /// <exception cref="InvalidOperationException">The value is of another kind.</exception>
    public string AsString() => Kind == ValueKind.String ? (string)_reference! : throw Mismatch(ValueKind.String);

    /// <exception cref="InvalidOperationException">The value is of another kind.</exception>
    public IReadOnlyList<Value> AsList() =>
        Kind == ValueKind.List ? (Value[])_reference! : throw Mismatch(ValueKind.List);

    /// <exception cref="InvalidOperationException">The value is of another kind.</exception>
    public IReadOnlyDictionary<string, Value> AsContext() =>
        Kind == ValueKind.Context ? (IReadOnlyDictionary<string, Value>)_reference! : throw Mismatch(ValueKind.Context);

    /// <summary>Deep equality; numbers compare by value (1.0 equals 1).</summary>
    public bool Equals(Value other) => Kind == other.Kind && Kind switch
    {
        ValueKind.Null => true,
        ValueKind.Boolean or ValueKind.Number => _number == other._number,
        ValueKind.String => string.Equals((string)_reference!, (string)other._reference!, StringComparison.Ordinal),
        ValueKind.List => AsList().SequenceEqual(other.AsList()),
        _ => ContextEquals(AsContext(), other.AsContext()),
    };

    public override bool Equals(object? obj) => obj is Value other && Equals(other);

    public override int GetHashCode() => Kind switch
    {
        ValueKind.String => string.GetHashCode((string)_reference!, StringComparison.Ordinal),
        ValueKind.List => HashCode.Combine(ValueKind.List, AsList().Count),
        ValueKind.Context => HashCode.Combine(ValueKind.Context, AsContext().Count),
        _ => HashCode.Combine(Kind, _number),
    };

    public static bool operator ==(Value left, Value right) => left.Equals(right);
    public static bool operator !=(Value left, Value right) => !left.Equals(right);

    /// <summary>The value as JSON text in one form: equal values have equal texts.</summary>
    public string ToCanonicalJson() => CanonicalJson.Write(ToJsonElement());

    /// <summary>The value as JSON text in which only what JSON demands is escaped.</summary>
    public override string ToString() => ValueText.Of(this, isIndented: false);

    /// <summary>The same with a line for each item and member.</summary>
    public string ToIndentedString() => ValueText.Of(this, isIndented: true);

    private static bool ContextEquals(IReadOnlyDictionary<string, Value> left, IReadOnlyDictionary<string, Value> right)
    {
        if (left.Count != right.Count)
        {
            return false;
        }

        foreach (var (name, value) in new ContextMembers(left))
        {
            if (!right.TryGetValue(name, out var other) || value != other)
            {
                return false;
            }
        }

        return true;
    }

    private InvalidOperationException Mismatch(ValueKind wanted) =>
        new($"The value {this} is a {Kind}, not a {wanted}.");

    private static readonly IReadOnlyDictionary<string, Value> EmptyContext = new Dictionary<string, Value>();

    /// <summary>A context without members.</summary>
    public static Value Empty { get; } = From(EmptyContext);

    /// <summary>Copies a JSON element.</summary>
    /// <exception cref="NumberRangeException">A decimal does not hold a number exactly.</exception>
    public static Value From(JsonElement element)
    {
        switch (element.ValueKind)
        {
            case JsonValueKind.String:
                return From(element.GetString());
            case JsonValueKind.Number:
                return ExactNumber.TryRead(element, out var number)
                ? From(number)
                : throw new NumberRangeException(element.GetRawText());
            case JsonValueKind.True:
            case JsonValueKind.False:
                return From(element.GetBoolean());
            case JsonValueKind.Array:
                var items = new Value[element.GetArrayLength()];
                var count = 0;

                // In order: an item that is asked for by its number is searched from the first one on.
                foreach (var item in element.EnumerateArray())
                {
                    items[count++] = From(item);
                }

                return From(items);
            case JsonValueKind.Object:
                var members = new Dictionary<string, Value>(StringComparer.Ordinal);
                foreach (var property in element.EnumerateObject())
                {
                    members[property.Name] = From(property.Value);
                }

                return From(members);
            default:
                return Null;
        }
    }

    /// <exception cref="JsonException">The text is not JSON.</exception>
    /// <exception cref="NumberRangeException">A decimal does not hold a number exactly.</exception>
    public static Value Parse(string json)
    {
        using var document = JsonDocument.Parse(json);
        return From(document.RootElement);
    }

    /// <summary>Reads the value at the reader's present token and leaves the reader on its last token.</summary>
    /// <exception cref="JsonException">The text is not JSON.</exception>
    /// <exception cref="NumberRangeException">A decimal does not hold a number exactly.</exception>
    public static Value Read(ref Utf8JsonReader reader)
    {
        switch (reader.TokenType)
        {
            case JsonTokenType.String:
                return From(reader.GetString());
            case JsonTokenType.Number:
                return ExactNumber.TryRead(ref reader, out var number)
                    ? From(number) : throw new NumberRangeException(ExactNumber.TextOf(ref reader));
            case JsonTokenType.True:
                return From(true);
            case JsonTokenType.False:
                return From(false);
            case JsonTokenType.StartArray:
                var items = new List<Value>();
                while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
                {
                    items.Add(Read(ref reader));
                }

                return From(items.ToArray());
            case JsonTokenType.StartObject:
                var members = new Dictionary<string, Value>(StringComparer.Ordinal);
                while (reader.Read() && reader.TokenType != JsonTokenType.EndObject)
                {
                    var name = reader.GetString()!;
                    reader.Read();
                    members[name] = Read(ref reader);
                }

                return From(members);
            default:
                return Null;
        }
    }

    public void WriteTo(Utf8JsonWriter writer)
    {
        switch (Kind)
        {
            case ValueKind.Boolean:
                writer.WriteBooleanValue(AsBoolean());
                break;
            case ValueKind.Number when IsSmallInteger(out var integer):
                writer.WriteNumberValue(integer);
                break;
            case ValueKind.Number:
                writer.WriteNumberValue(AsNumber());
                break;
            case ValueKind.String:
                writer.WriteStringValue(AsString());
                break;
            case ValueKind.List:
                writer.WriteStartArray();
                foreach (ref readonly var item in ((Value[])_reference!).AsSpan())
                {
                    item.WriteTo(writer);
                }

                writer.WriteEndArray();
                break;
            case ValueKind.Context:
                WriteMembers(writer, AsContext());
                break;
            default:
                writer.WriteNullValue();
                break;
        }
    }

    /// <summary>Writes named values as a JSON object.</summary>
    public static void WriteMembers(Utf8JsonWriter writer, IReadOnlyDictionary<string, Value> members)
    {
        writer.WriteStartObject();
        foreach (var (name, value) in new ContextMembers(members))
        {
            writer.WritePropertyName(name);
            value.WriteTo(writer);
        }

        writer.WriteEndObject();
    }

    /// <summary>The value as a JSON element that lives as long as the caller keeps it.</summary>
    public JsonElement ToJsonElement()
    {
        var reader = new Utf8JsonReader(ValueBuffer.Write(this));
        return JsonElement.ParseValue(ref reader);
    }

    /// <summary>
    /// How deep lists and contexts nest: 0 for a scalar, 1 for a list of scalars. Known without walking the value.
    /// </summary>
    public int Depth => Kind is ValueKind.List or ValueKind.Context ? ExtentPart(1) : 0;

    /// <summary>
    /// About how many characters the value has as JSON (escapes not counted), at most <see cref="int.MaxValue"/>; what
    /// is contained twice counts twice, although it is held once. Known without walking the value, so that a loop which
    /// doubles a value can be stopped before someone writes it out.
    /// </summary>
    public int Weight => Kind switch
    {
        ValueKind.String => ((string)_reference!).Length + 2,
        ValueKind.List or ValueKind.Context => ExtentPart(0),
        ValueKind.Number => Width(_number),
        ValueKind.Boolean => 5,
        _ => 4,
    };

    // Most numbers are such; as an integer they are written three times as fast.
    private bool IsSmallInteger(out int integer)
    {
        Span<int> words = stackalloc int[4];
        decimal.GetBits(_number, words);
        integer = words[0];
        return (words[1] | words[2] | words[3]) == 0 && integer >= 0;
    }

    /// <summary>Digits (one too many at most), point and sign.</summary>
    private static int Width(decimal number)
    {
        Span<int> words = stackalloc int[4];
        decimal.GetBits(number, words);
        var bits = words switch
        {
            [_, _, not 0, _] => 96 - BitOperations.LeadingZeroCount((uint)words[2]),
            [_, not 0, ..] => 64 - BitOperations.LeadingZeroCount((uint)words[1]),
            _ => 32 - BitOperations.LeadingZeroCount((uint)words[0]),
        };
        var digits = ((bits * 1233) >> 12) + 1;
        var scale = (words[3] >> 16) & 0xff;
        return Math.Max(digits, scale + 1) + (scale > 0 ? 1 : 0) + (words[3] < 0 ? 1 : 0);
    }

    // A list or context has no number of its own; the two low words of that field hold weight and depth, so that the
    // struct does not grow.
    private static decimal Extent(long weight, int depth) =>
        new((int)Math.Min(weight, int.MaxValue), depth, 0, false, 0);

    private static decimal ExtentOf(ReadOnlySpan<Value> items)
    {
        long weight = 2;
        var depth = 0;
        foreach (ref readonly var item in items)
        {
            weight += item.Weight + 1;
            depth = Math.Max(depth, item.Depth);
        }

        return Extent(weight, depth + 1);
    }

    private static decimal ExtentOf(IReadOnlyDictionary<string, Value> members)
    {
        long weight = 2;
        var depth = 0;
        foreach (var (name, value) in new ContextMembers(members))
        {
            weight += name.Length + value.Weight + 4;
            depth = Math.Max(depth, value.Depth);
        }

        return Extent(weight, depth + 1);
    }

    private int ExtentPart(int word)
    {
        Span<int> words = stackalloc int[4];
        decimal.GetBits(_number, words);
        return words[word];
    }
}

/// <summary>Writes values as UTF-8 into a buffer that each thread keeps.</summary>
internal static class ValueBuffer
{
    /// <summary>A larger buffer is not kept, in bytes.</summary>
    private const int MaxKept = 65_536;

    [ThreadStatic]
    private static ArrayBufferWriter<byte>? s_buffer;

    [ThreadStatic]
    private static Utf8JsonWriter? s_writer;

    /// <summary>The value as JSON, until the thread writes the next one.</summary>
    public static ReadOnlySpan<byte> Write(Value value)
    {
        var buffer = s_buffer ??= new(512);
        buffer.ResetWrittenCount();
        var writer = s_writer ??= new(buffer);
        writer.Reset(buffer);
        value.WriteTo(writer);
        writer.Flush();
        if (buffer.Capacity > MaxKept)
        {
            (s_buffer, s_writer) = (null, null);
        }

        return buffer.WrittenSpan;
    }
}
