namespace MongoDB.Bson;

/// <summary>Values compare as the server orders them: numbers with numbers, else by the order of types.</summary>
public abstract class BsonValue : IComparable<BsonValue>, IEquatable<BsonValue>
{
    public abstract BsonType BsonType { get; }

    public bool AsBoolean => Cast<BsonBoolean>().Value;

    public BsonArray AsBsonArray => Cast<BsonArray>();

    public BsonBinaryData AsBsonBinaryData => Cast<BsonBinaryData>();

    public BsonDocument AsBsonDocument => Cast<BsonDocument>();

    public Guid AsGuid => Cast<BsonBinaryData>().ToGuid();

    public string AsString => Cast<BsonString>().Value;

    public bool IsBsonArray => this is BsonArray;

    public bool IsBsonNull => this is BsonNull;

    public bool IsNumeric => this is BsonInt32 or BsonInt64 or BsonDouble;

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

    public override string ToString() => BsonExtensionMethods.Write(this);

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
        this as T ?? throw new InvalidCastException(
            string.Create(CultureInfo.InvariantCulture, $"Unable to cast {GetType().Name} {this} to {typeof(T).Name}."));
}

public enum BsonType
{
    Double = 0x01,
    String = 0x02,
    Document = 0x03,
    Array = 0x04,
    Binary = 0x05,
    Boolean = 0x08,
    DateTime = 0x09,
    Null = 0x0a,
    Int32 = 0x10,
    Int64 = 0x12,
}

public enum GuidRepresentation
{
    Unspecified,
    Standard,
    CSharpLegacy,
    JavaLegacy,
    PythonLegacy,
}

public enum BsonBinarySubType
{
    Binary = 0,
    UuidStandard = 4,
}

public sealed class BsonBoolean(bool value) : BsonValue
{
    public static BsonBoolean False { get; } = new(false);

    public static BsonBoolean True { get; } = new(true);

    public bool Value => value;

    public override BsonType BsonType => BsonType.Boolean;

    protected override int CompareSame(BsonValue other) => value.CompareTo(other.AsBoolean);
}

public sealed class BsonInt32(int value) : BsonValue
{
    public int Value => value;

    public override BsonType BsonType => BsonType.Int32;
}

public sealed class BsonInt64(long value) : BsonValue
{
    public long Value => value;

    public override BsonType BsonType => BsonType.Int64;

    protected override int CompareSame(BsonValue other) => other is BsonDouble ? base.CompareSame(other) : value.CompareTo(other.ToInt64());
}

public sealed class BsonDouble(double value) : BsonValue
{
    public double Value => value;

    public override BsonType BsonType => BsonType.Double;
}

public sealed class BsonString(string value) : BsonValue
{
    public string Value => value;

    public override BsonType BsonType => BsonType.String;

    protected override int CompareSame(BsonValue other) => string.CompareOrdinal(value, other.AsString);
}

public sealed class BsonNull : BsonValue
{
    private BsonNull()
    {
    }

    public static BsonNull Value { get; } = new();

    public override BsonType BsonType => BsonType.Null;

    protected override int CompareSame(BsonValue other) => 0;
}

/// <summary>Whole milliseconds, as the format has it.</summary>
public sealed class BsonDateTime(long millisecondsSinceEpoch) : BsonValue
{
    public BsonDateTime(DateTime value)
        : this(new DateTimeOffset(value.ToUniversalTime()).ToUnixTimeMilliseconds())
    {
    }

    public long MillisecondsSinceEpoch => millisecondsSinceEpoch;

    public override BsonType BsonType => BsonType.DateTime;

    protected override int CompareSame(BsonValue other) => millisecondsSinceEpoch.CompareTo(((BsonDateTime)other).MillisecondsSinceEpoch);
}

public sealed class BsonBinaryData(byte[] bytes, BsonBinarySubType subType) : BsonValue
{
    public BsonBinaryData(Guid guid, GuidRepresentation guidRepresentation)
        : this(guid.ToByteArray(bigEndian: true), BsonBinarySubType.UuidStandard)
    {
        if (guidRepresentation != GuidRepresentation.Standard)
        {
            throw new NotSupportedException($"The stand-in has no {guidRepresentation} UUID.");
        }
    }

    public byte[] Bytes => bytes;

    public BsonBinarySubType SubType => subType;

    public override BsonType BsonType => BsonType.Binary;

    public Guid ToGuid() => subType == BsonBinarySubType.UuidStandard
        ? new Guid(bytes, bigEndian: true)
        : throw new InvalidOperationException($"Binary of sub type {subType} is no UUID.");

    // By length, then sub type, then byte by byte.
    protected override int CompareSame(BsonValue other)
    {
        var right = other.AsBsonBinaryData;
        var order = bytes.Length.CompareTo(right.Bytes.Length);
        order = order != 0 ? order : subType.CompareTo(right.SubType);
        return order != 0 ? order : bytes.AsSpan().SequenceCompareTo(right.Bytes);
    }
}
