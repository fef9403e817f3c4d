namespace IntegrationTests.Mongo.Server;

/// <summary>
/// Values in the order of the server: numbers with numbers, else by the order of types; texts by their characters,
/// where <see cref="BsonValue.CompareTo(BsonValue)"/> goes by the rules of a language.
/// </summary>
internal sealed class ServerOrder : IComparer<BsonValue>
{
    public static ServerOrder Instance { get; } = new();

    public static bool AreSame(BsonValue left, BsonValue right) => Instance.Compare(left, right) == 0;

    public int Compare(BsonValue? x, BsonValue? y)
    {
        if (x is null || y is null)
        {
            return (x is null ? 0 : 1) - (y is null ? 0 : 1);
        }

        var rank = Rank(x).CompareTo(Rank(y));
        return rank != 0 ? rank : CompareAlike(x, y);
    }

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
        var type => throw new NotSupportedException($"This server orders no {type}."),
    };

    private int CompareAlike(BsonValue x, BsonValue y) => (x, y) switch
    {
        (BsonString left, BsonString right) => string.CompareOrdinal(left.Value, right.Value),
        (BsonDocument left, BsonDocument right) => CompareMembers(left, right),
        (BsonArray left, BsonArray right) => CompareItems([.. left], [.. right]),
        _ => x.CompareTo(y),
    };

    private int CompareMembers(BsonDocument left, BsonDocument right)
    {
        for (var i = 0; i < Math.Min(left.ElementCount, right.ElementCount); i++)
        {
            var order = string.CompareOrdinal(left.GetElement(i).Name, right.GetElement(i).Name);
            order = order != 0 ? order : Compare(left[i], right[i]);
            if (order != 0)
            {
                return order;
            }
        }

        return left.ElementCount.CompareTo(right.ElementCount);
    }

    private int CompareItems(BsonValue[] left, BsonValue[] right)
    {
        var different = left.Zip(right, Compare).FirstOrDefault(order => order != 0);
        return different != 0 ? different : left.Length.CompareTo(right.Length);
    }
}
