namespace MongoDB.Bson;

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
        : this(guid.ToByteArray(bigEndian: true), (BsonBinarySubType)guidRepresentation)
    {
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
