using System.Text.Json;

namespace Workflow.Abstractions;

/// <summary>
/// An immutable value of a workflow variable: null, boolean, number (decimal), string, list or context (object), as in FEEL and JSON.
/// The default value is <see cref="Null"/>.
/// </summary>
public readonly partial struct Value : IEquatable<Value>
{
    private readonly decimal _number;
    private readonly object? _reference;

    private Value(ValueKind kind, decimal number, object? reference)
    {
        Kind = kind;
        _number = number;
        _reference = reference;
    }

    /// <summary>The absent value.</summary>
    public static Value Null => default;

    /// <summary>What the value is.</summary>
    public ValueKind Kind { get; }

    /// <summary>True for <see cref="Null"/>.</summary>
    public bool IsNull => Kind == ValueKind.Null;

    /// <summary>True only for the boolean true: null and other kinds are not true.</summary>
    public bool IsTrue => Kind == ValueKind.Boolean && _number != 0;

    /// <summary>Makes a string; a null reference makes <see cref="Null"/>.</summary>
    public static Value From(string? text) => text is null ? Null : new(ValueKind.String, 0, text);

    /// <summary>Makes a number.</summary>
    public static Value From(decimal number) => new(ValueKind.Number, number, null);

    /// <summary>Makes a boolean.</summary>
    public static Value From(bool flag) => new(ValueKind.Boolean, flag ? 1 : 0, null);

    /// <summary>Makes a list. The array must not be changed afterwards.</summary>
    public static Value From(Value[] items) => new(ValueKind.List, ExtentOf(items), items);

    /// <summary>Makes a context. The dictionary must not be changed afterwards.</summary>
    public static Value From(IReadOnlyDictionary<string, Value> members) => new(ValueKind.Context, ExtentOf(members), members);

    /// <summary>The boolean.</summary>
    /// <exception cref="InvalidOperationException">The value is of another kind.</exception>
    public bool AsBoolean() => Kind == ValueKind.Boolean ? _number != 0 : throw Mismatch(ValueKind.Boolean);

    /// <summary>The number.</summary>
    /// <exception cref="InvalidOperationException">The value is of another kind.</exception>
    public decimal AsNumber() => Kind == ValueKind.Number ? _number : throw Mismatch(ValueKind.Number);

    /// <summary>The string.</summary>
    /// <exception cref="InvalidOperationException">The value is of another kind.</exception>
    public string AsString() => Kind == ValueKind.String ? (string)_reference! : throw Mismatch(ValueKind.String);

    /// <summary>The items of the list.</summary>
    /// <exception cref="InvalidOperationException">The value is of another kind.</exception>
    public IReadOnlyList<Value> AsList() => Kind == ValueKind.List ? (Value[])_reference! : throw Mismatch(ValueKind.List);

    /// <summary>The members of the context.</summary>
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

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is Value other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => Kind switch
    {
        ValueKind.String => string.GetHashCode((string)_reference!, StringComparison.Ordinal),
        ValueKind.List => HashCode.Combine(ValueKind.List, AsList().Count),
        ValueKind.Context => HashCode.Combine(ValueKind.Context, AsContext().Count),
        _ => HashCode.Combine(Kind, _number),
    };

    /// <summary>Deep equality.</summary>
    public static bool operator ==(Value left, Value right) => left.Equals(right);

    /// <summary>Deep inequality.</summary>
    public static bool operator !=(Value left, Value right) => !left.Equals(right);

    /// <summary>The value as JSON text.</summary>
    public override string ToString()
    {
        using var stream = new MemoryStream();
        using (var writer = new Utf8JsonWriter(stream))
        {
            WriteTo(writer);
        }

        return System.Text.Encoding.UTF8.GetString(stream.GetBuffer(), 0, (int)stream.Length);
    }

    private static bool ContextEquals(IReadOnlyDictionary<string, Value> left, IReadOnlyDictionary<string, Value> right)
    {
        if (left.Count != right.Count)
        {
            return false;
        }

        foreach (var (name, value) in left)
        {
            if (!right.TryGetValue(name, out var other) || value != other)
            {
                return false;
            }
        }

        return true;
    }

    private InvalidOperationException Mismatch(ValueKind wanted) => new($"The value {this} is a {Kind}, not a {wanted}.");
}
