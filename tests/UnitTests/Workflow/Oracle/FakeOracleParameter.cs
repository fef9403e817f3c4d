using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace UnitTests.Workflow.Oracle;

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
