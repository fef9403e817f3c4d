using System.Data;
using System.Data.Common;

namespace FullFeed.Tests.Oracle;

internal sealed class FakeOracleTransaction(FakeOracleConnection connection) : DbTransaction
{
    public override IsolationLevel IsolationLevel => IsolationLevel.ReadCommitted;

    protected override DbConnection DbConnection => connection;

    public override void Commit() => connection.Transaction = null;

    public override void Rollback() => connection.Transaction = null;
}
