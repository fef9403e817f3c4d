using System.Collections;
using System.Diagnostics.CodeAnalysis;

namespace MongoDB.Bson;

public readonly record struct BsonElement(string Name, BsonValue Value);

/// <summary>Members in their order; no name twice.</summary>
public sealed class BsonDocument : BsonValue, IEnumerable<BsonElement>
{
    private readonly List<BsonElement> _elements = [];

    public BsonDocument()
    {
    }

    public BsonDocument(string name, BsonValue value) => Add(name, value);

    public BsonDocument(IEnumerable<BsonElement> elements)
    {
        foreach (var element in elements)
        {
            Add(element.Name, element.Value);
        }
    }

    public int ElementCount => _elements.Count;

    public IEnumerable<string> Names => _elements.Select(e => e.Name);

    public override BsonType BsonType => BsonType.Document;

    public override BsonValue this[string name]
    {
        get => TryGetValue(name, out var value) ? value : throw new KeyNotFoundException($"Element '{name}' not found.");
        set => Set(name, value);
    }

    public BsonValue this[int index] => _elements[index].Value;

    public static BsonDocument Parse(string json) => BsonExtensionMethods.Parse(json);

    public BsonDocument Add(string name, BsonValue value)
    {
        ArgumentNullException.ThrowIfNull(value);
        if (Contains(name))
        {
            throw new InvalidOperationException($"Duplicate element name '{name}'.");
        }

        _elements.Add(new(name, value));
        return this;
    }

    public BsonDocument Add(string name, BsonValue value, bool condition) => condition ? Add(name, value) : this;

    public BsonDocument Set(string name, BsonValue value)
    {
        ArgumentNullException.ThrowIfNull(value);
        var place = _elements.FindIndex(e => e.Name == name);
        if (place < 0)
        {
            return Add(name, value);
        }

        _elements[place] = new(name, value);
        return this;
    }

    public void Remove(string name) => _elements.RemoveAll(e => e.Name == name);

    public bool Contains(string name) => _elements.Exists(e => e.Name == name);

    public BsonElement GetElement(int index) => _elements[index];

    public BsonValue GetValue(string name, BsonValue defaultValue) => TryGetValue(name, out var value) ? value : defaultValue;

    public bool TryGetValue(string name, [MaybeNullWhen(false)] out BsonValue value)
    {
        value = _elements.Find(e => e.Name == name).Value;
        return value is not null;
    }

    public override BsonValue DeepClone() => new BsonDocument(_elements.Select(e => new BsonElement(e.Name, e.Value.DeepClone())));

    public IEnumerator<BsonElement> GetEnumerator() => _elements.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    // Member by member: type, then name, then value; the shorter of two that begin alike is less.
    protected override int CompareSame(BsonValue other)
    {
        var right = other.AsBsonDocument._elements;
        for (var i = 0; i < Math.Min(_elements.Count, right.Count); i++)
        {
            var order = string.CompareOrdinal(_elements[i].Name, right[i].Name);
            order = order != 0 ? order : _elements[i].Value.CompareTo(right[i].Value);
            if (order != 0)
            {
                return order;
            }
        }

        return _elements.Count.CompareTo(right.Count);
    }
}

public sealed class BsonArray : BsonValue, IEnumerable<BsonValue>
{
    private readonly List<BsonValue> _values = [];

    public BsonArray()
    {
    }

    public BsonArray(IEnumerable<BsonValue> values) => _values.AddRange(values);

    public BsonArray(IEnumerable<string> values) => _values.AddRange(values.Select(v => new BsonString(v)));

    public BsonArray(IEnumerable<int> values) => _values.AddRange(values.Select(v => new BsonInt32(v)));

    public IEnumerable<BsonValue> Values => _values;

    public override BsonType BsonType => BsonType.Array;

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
