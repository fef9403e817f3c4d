using System.Collections;
using System.Data.Common;

namespace FullFeed.Tests.Oracle;

internal sealed class FakeOracleParameters : DbParameterCollection
{
    private readonly List<FakeOracleParameter> _items = [];

    public IReadOnlyList<FakeOracleParameter> Items => _items;

    public override int Count => _items.Count;

    public override object SyncRoot => _items;

    public override int Add(object value)
    {
        _items.Add((FakeOracleParameter)value);
        return _items.Count - 1;
    }

    public override void AddRange(Array values) => _items.AddRange(values.Cast<FakeOracleParameter>());

    public override void Clear() => _items.Clear();

    public override bool Contains(object value) => _items.Contains((FakeOracleParameter)value);

    public override bool Contains(string value) => IndexOf(value) >= 0;

    public override void CopyTo(Array array, int index) => ((ICollection)_items).CopyTo(array, index);

    public override IEnumerator GetEnumerator() => _items.GetEnumerator();

    public override int IndexOf(object value) => _items.IndexOf((FakeOracleParameter)value);

    public override int IndexOf(string parameterName) => _items.FindIndex(p => p.ParameterName == parameterName);

    public override void Insert(int index, object value) => _items.Insert(index, (FakeOracleParameter)value);

    public override void Remove(object value) => _items.Remove((FakeOracleParameter)value);

    public override void RemoveAt(int index) => _items.RemoveAt(index);

    public override void RemoveAt(string parameterName) => _items.RemoveAt(IndexOf(parameterName));

    protected override DbParameter GetParameter(int index) => _items[index];

    protected override DbParameter GetParameter(string parameterName) => _items[IndexOf(parameterName)];

    protected override void SetParameter(int index, DbParameter value) => _items[index] = (FakeOracleParameter)value;

    protected override void SetParameter(string parameterName, DbParameter value) => SetParameter(IndexOf(parameterName), value);
}
