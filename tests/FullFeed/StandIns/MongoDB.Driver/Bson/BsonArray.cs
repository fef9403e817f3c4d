using System.Collections;

namespace MongoDB.Bson;

public sealed class BsonArray : BsonValue, IEnumerable<BsonValue>
{
    private readonly List<BsonValue> _values = [];

    public BsonArray()
    {
    }

    public BsonArray(IEnumerable<BsonValue> values) => _values.AddRange(values);

    public BsonArray(IEnumerable<string> values) => _values.AddRange(values.Select(v => new BsonString(v)));

    public BsonArray(IEnumerable<int> values) => _values.AddRange(values.Select(v => new BsonInt32(v)));

    public int Count => _values.Count;

    public IEnumerable<BsonValue> Values => _values;

    public override BsonType BsonType => BsonType.Array;

    public override BsonValue this[int index]
    {
        get => _values[index];
        set => _values[index] = value;
    }

    public BsonArray Add(BsonValue value)
    {
        _values.Add(value);
        return this;
    }

    public bool Contains(BsonValue value) => _values.Contains(value);

    public override BsonValue DeepClone() => new BsonArray(_values.Select(v => v.DeepClone()));

    public IEnumerator<BsonValue> GetEnumerator() => _values.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    protected override int CompareSame(BsonValue other)
    {
        var right = other.AsBsonArray._values;
        for (var i = 0; i < Math.Min(_values.Count, right.Count); i++)
        {
            var order = _values[i].CompareTo(right[i]);
            if (order != 0)
            {
                return order;
            }
        }

        return _values.Count.CompareTo(right.Count);
    }
}
