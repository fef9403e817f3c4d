using System.Collections;
using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace UnitTests.Workflow.Oracle;

internal sealed class FakeOracleConnection(FakeOracle server) : DbConnection
{
    private ConnectionState _state;

    [AllowNull]
    public override string ConnectionString { get; set; } = "";

    public override string Database => "";

    public override string DataSource => "";

    public override string ServerVersion => "";

    public override ConnectionState State => _state;

    public FakeOracleTransaction? Transaction { get; set; }

    public override void Open()
    {
        if (server.Refusal() is { } refusal)
        {
            throw refusal;
        }

        _state = ConnectionState.Open;
        server.Count(1);
    }

    public override void Close()
    {
        if (_state == ConnectionState.Open)
        {
            _state = ConnectionState.Closed;
            server.Count(-1);
        }
    }

    public override void ChangeDatabase(string databaseName) => throw new NotSupportedException();

    /// <summary>As the real one: no other level than these, and not the one that stands for none.</summary>
    protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel) =>
        isolationLevel is IsolationLevel.ReadCommitted or IsolationLevel.Serializable
            ? Transaction = new FakeOracleTransaction(this)
            : throw new ArgumentException($"The isolation level {isolationLevel} is not supported.",
                nameof(isolationLevel));

    protected override DbCommand CreateDbCommand() => new FakeOracleCommand(server, this);

    protected override void Dispose(bool disposing)
    {
        Close();
        base.Dispose(disposing);
    }
}

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

    protected override void SetParameter(string parameterName, DbParameter value) =>
        SetParameter(IndexOf(parameterName), value);
}

/// <summary>Two of the driver's types.</summary>
internal enum FakeOracleDbType
{
    Varchar2,
    Clob,
}

internal sealed class FakeOracleTransaction(FakeOracleConnection connection) : DbTransaction
{
    public override IsolationLevel IsolationLevel => IsolationLevel.ReadCommitted;

    protected override DbConnection DbConnection => connection;

    public override void Commit() => connection.Transaction = null;

    public override void Rollback() => connection.Transaction = null;
}
