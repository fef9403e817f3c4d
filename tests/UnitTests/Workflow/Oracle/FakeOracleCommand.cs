using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace UnitTests.Workflow.Oracle;

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

    protected override async Task<DbDataReader> ExecuteDbDataReaderAsync(
        CommandBehavior behavior, CancellationToken cancellationToken) =>
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
            _parameters.Items
                .ToDictionary(p => p.ParameterName, p => p.Value is DBNull ? null : p.Value, StringComparer.Ordinal),
            _parameters.Items.Where(p => p.OracleDbType == FakeOracleDbType.Clob).Select(p => p.ParameterName)
                .ToHashSet(StringComparer.Ordinal),
            outputs.ToDictionary(p => p.ParameterName, p => p.Size, StringComparer.Ordinal),
            ((FakeOracleConnection)DbConnection).Transaction is not null,
            CommandTimeout,
            DbConnection.ConnectionString));
    }
}
