namespace MongoDB.Bson;

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
    Standard = 4,
}

public enum BsonBinarySubType
{
    Binary = 0,
    UuidStandard = 4,
}
