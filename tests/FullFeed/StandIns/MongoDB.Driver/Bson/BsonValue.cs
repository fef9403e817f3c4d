using System.Globalization;

namespace MongoDB.Bson;

/// <summary>Values compare as the server orders them: numbers with numbers, else by the order of types.</summary>
public abstract class BsonValue : IComparable<BsonValue>, IEquatable<BsonValue>
{
    public abstract BsonType BsonType { get; }

    public bool AsBoolean => Cast<BsonBoolean>().Value;

    public BsonArray AsBsonArray => Cast<BsonArray>();

    public BsonBinaryData AsBsonBinaryData => Cast<BsonBinaryData>();

    public BsonDocument AsBsonDocument => Cast<BsonDocument>();

    public byte[] AsByteArray => Cast<BsonBinaryData>().Bytes;

    public double AsDouble => Cast<BsonDouble>().Value;

    public Guid AsGuid => Cast<BsonBinaryData>().ToGuid();

    public int AsInt32 => Cast<BsonInt32>().Value;

    public long AsInt64 => Cast<BsonInt64>().Value;

    public string AsString => Cast<BsonString>().Value;

    public bool IsBoolean => this is BsonBoolean;

    public bool IsBsonArray => this is BsonArray;

    public bool IsBsonDocument => this is BsonDocument;

    public bool IsBsonNull => this is BsonNull;

    public bool IsNumeric => this is BsonInt32 or BsonInt64 or BsonDouble;

    public bool IsString => this is BsonString;

    public static implicit operator BsonValue(bool value) => new BsonBoolean(value);

    public static implicit operator BsonValue(int value) => new BsonInt32(value);

    public static implicit operator BsonValue(long value) => new BsonInt64(value);

    public static implicit operator BsonValue(double value) => new BsonDouble(value);

    public static implicit operator BsonValue(DateTime value) => new BsonDateTime(value);

    public static implicit operator BsonValue(string? value) => value is null ? null! : new BsonString(value);

    public virtual BsonValue this[string name]
    {
        get => throw new NotSupportedException($"{GetType().Name} has no member '{name}'.");
        set => throw new NotSupportedException($"{GetType().Name} has no member '{name}'.");
    }

    public virtual BsonValue this[int index]
    {
        get => throw new NotSupportedException($"{GetType().Name} has no item {index}.");
        set => throw new NotSupportedException($"{GetType().Name} has no item {index}.");
    }

    public virtual BsonValue DeepClone() => this;

    public long ToInt64() => this switch
    {
        BsonInt32 i => i.Value,
        BsonInt64 i => i.Value,
        BsonDouble d => checked((long)d.Value),
        _ => throw new NotSupportedException($"{GetType().Name} is no number."),
    };

    public int ToInt32() => checked((int)ToInt64());

    public double ToDouble() => this is BsonDouble d ? d.Value : ToInt64();

    public DateTime ToUniversalTime() => DateTimeOffset.FromUnixTimeMilliseconds(Cast<BsonDateTime>().MillisecondsSinceEpoch).UtcDateTime;

    public int CompareTo(BsonValue? other)
    {
        if (other is null)
        {
            return 1;
        }

        return Rank(this) is var rank && rank.CompareTo(Rank(other)) is var order && order != 0 ? order : CompareSame(other);
    }

    public bool Equals(BsonValue? other) => other is not null && CompareTo(other) == 0;

    public override bool Equals(object? obj) => Equals(obj as BsonValue);

    public override int GetHashCode() => IsNumeric ? ToDouble().GetHashCode() : ToString()!.GetHashCode(StringComparison.Ordinal);

    public override string ToString() => BsonJson.Write(this);

    /// <summary>The order beside a value of the same rank.</summary>
    protected virtual int CompareSame(BsonValue other) => ToDouble().CompareTo(other.ToDouble());

    private static int Rank(BsonValue value) => value.BsonType switch
    {
        BsonType.Null => 1,
        BsonType.Int32 or BsonType.Int64 or BsonType.Double => 2,
        BsonType.String => 3,
        BsonType.Document => 4,
        BsonType.Array => 5,
        BsonType.Binary => 6,
        BsonType.Boolean => 8,
        BsonType.DateTime => 9,
        var type => throw new NotSupportedException(type.ToString()),
    };

    private T Cast<T>()
        where T : BsonValue =>
        this as T ?? throw new InvalidCastException(string.Create(CultureInfo.InvariantCulture, $"Unable to cast {GetType().Name} {this} to {typeof(T).Name}."));
}
