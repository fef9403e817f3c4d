using System.Collections;
using System.Data.Common;
using System.Data;
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
            : throw new ArgumentException($"The isolation level {isolationLevel} is not supported.", nameof(isolationLevel));

    protected override DbCommand CreateDbCommand() => new FakeOracleCommand(server, this);

    protected override void Dispose(bool disposing)
    {
        Close();
        base.Dispose(disposing);
    }
}

internal sealed class FakeOracleCommand(FakeOracle server, FakeOracleConnection connection) : DbCommand
{
    private readonly FakeOracleParameters _parameters = new();

    public bool BindByName { get; set; }

    public int InitialLOBFetchSize { get; set; }

    [AllowNull]
    public override string CommandText { get; set; } = "";

    public override int CommandTimeout { get; set; }

    public override CommandType CommandType { get; set; } = CommandType.Text;

    public override bool DesignTimeVisible { get; set; }

    public override UpdateRowSource UpdatedRowSource { get; set; }

    protected override DbConnection? DbConnection { get; set; } = connection;

    protected override DbParameterCollection DbParameterCollection => _parameters;

    protected override DbTransaction? DbTransaction { get; set; }

    public override void Cancel() => throw new NotSupportedException();

    public override int ExecuteNonQuery() => throw new NotSupportedException("The adapters do not block.");

    public override async Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken)
    {
        var answer = await RunAsync();
        foreach (var parameter in _parameters.Items.Where(p => p.Direction == ParameterDirection.Output))
        {
            parameter.Value = answer.Outputs.TryGetValue(parameter.ParameterName, out var value) ? value ?? DBNull.Value
                : parameter.DbType == DbType.Int64 && answer.Outputs.Count == 0 ? 1L : DBNull.Value;
        }

        return -1;
    }

    public override object ExecuteScalar() => throw new NotSupportedException("The adapters do not block.");

    public override void Prepare() => throw new NotSupportedException();

    protected override DbParameter CreateDbParameter() => new FakeOracleParameter();

    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior) =>
        throw new NotSupportedException("The adapters do not block.");

    protected override async Task<DbDataReader> ExecuteDbDataReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken) =>
        (await RunAsync()).Read();

    private Task<FakeAnswer> RunAsync()
    {
        if (DbConnection!.State != ConnectionState.Open)
        {
            throw new InvalidOperationException("Connection must be open for this operation");
        }

        var outputs = _parameters.Items.Where(p => p.Direction == ParameterDirection.Output);
        return server.RunAsync(new(
            CommandText,
            BindByName,
            _parameters.Items.ToDictionary(p => p.ParameterName, p => p.Value is DBNull ? null : p.Value, StringComparer.Ordinal),
            _parameters.Items.Where(p => p.OracleDbType == FakeOracleDbType.Clob).Select(p => p.ParameterName)
                .ToHashSet(StringComparer.Ordinal),
            outputs.ToDictionary(p => p.ParameterName, p => p.Size, StringComparer.Ordinal),
            ((FakeOracleConnection)DbConnection).Transaction is not null,
            CommandTimeout,
            DbConnection.ConnectionString));
    }
}

internal sealed class FakeOracleParameter : DbParameter
{
    public FakeOracleDbType OracleDbType { get; set; }

    public override DbType DbType { get; set; }

    public override ParameterDirection Direction { get; set; }

    public override bool IsNullable { get; set; }

    [AllowNull]
    public override string ParameterName { get; set; } = "";

    public override int Size { get; set; }

    [AllowNull]
    public override string SourceColumn { get; set; } = "";

    public override bool SourceColumnNullMapping { get; set; }

    public override object? Value { get; set; }

    public override void ResetDbType() => DbType = default;
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

    protected override void SetParameter(string parameterName, DbParameter value) => SetParameter(IndexOf(parameterName), value);
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

internal sealed class FakeOracleException(string message) : DbException(message);
