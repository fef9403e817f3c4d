namespace PerformanceTesting.Measurement;

/// <summary>What one normalised statement cost the server.</summary>
/// <param name="Text">At most its first 200 characters; constants are placeholders.</param>
/// <param name="Calls">Executions.</param>
/// <param name="Milliseconds">Execution time over all calls.</param>
/// <param name="Rows">Rows returned or changed.</param>
/// <param name="LogicalReads">Pages found in or read into the shared buffers.</param>
/// <param name="WalBytes">Bytes written to the log, without the commit's own record.</param>
public sealed record StatementCost(
    string Text, double Calls, double Milliseconds, double Rows, double LogicalReads, double WalBytes)
{
    internal StatementCost Plus(StatementCost other) => this with
    {
        Calls = Calls + other.Calls,
        Milliseconds = Milliseconds + other.Milliseconds,
        Rows = Rows + other.Rows,
        LogicalReads = LogicalReads + other.LogicalReads,
        WalBytes = WalBytes + other.WalBytes,
    };

    internal StatementCost Minus(StatementCost earlier) => Plus(new(
        earlier.Text, -earlier.Calls, -earlier.Milliseconds, -earlier.Rows, -earlier.LogicalReads, -earlier.WalBytes));
}
