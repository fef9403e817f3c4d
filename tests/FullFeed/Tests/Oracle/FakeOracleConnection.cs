using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace FullFeed.Tests.Oracle;

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

    protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel) => Transaction = new FakeOracleTransaction(this);

    protected override DbCommand CreateDbCommand() => new FakeOracleCommand(server, this);

    protected override void Dispose(bool disposing)
    {
        Close();
        base.Dispose(disposing);
    }
}
