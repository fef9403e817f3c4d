using System.Data.Common;
using System.Data;

namespace UnitTests.Workflow.Oracle;

/// <summary>
/// A provider with the properties of Oracle's driver that the adapters set by name, and a server that answers what a test asks it to. Like
/// the real one it refuses a call of which a bind variable is not bound, or that binds one which is not there.
/// </summary>
internal sealed class FakeOracle : DbProviderFactory
{
    private readonly Lock _gate = new();
    private readonly List<FakeCall> _calls = [];

    /// <summary>
    /// What the server does with a call that names its variables rightly; rows are empty and out parameters 1 or null where it does
    /// nothing.
    /// </summary>
    public Func<FakeCall, FakeAnswer?> Answer { get; set; } = _ => null;

    /// <summary>Thrown when a connection is opened.</summary>
    public Func<Exception?> Refusal { get; set; } = () => null;

    public int Open { get; private set; }

    /// <summary>The calls so far, in order.</summary>
    public IReadOnlyList<FakeCall> Calls
    {
        get
        {
            lock (_gate)
            {
                return [.. _calls];
            }
        }
    }

    public override DbConnection CreateConnection() => new FakeOracleConnection(this);

    public override DbCommand CreateCommand() => new FakeOracleCommand(this, new FakeOracleConnection(this));

    public override DbParameter CreateParameter() => new FakeOracleParameter();

    public IReadOnlyList<FakeCall> CallsOf(string name) => [.. Calls.Where(call => call.Name == name)];

    /// <summary>An error as the driver reports it: number, text, and the lines that tell where in the block it was raised.</summary>
    public static DbException Error(int number, string text = "as set by a test") =>
        new FakeOracleException($"ORA-{number:00000}: {text}\nORA-06512: at line 54");

    internal void Count(int change)
    {
        lock (_gate)
        {
            Open += change;
        }
    }

    internal Task<FakeAnswer> RunAsync(FakeCall call)
    {
        lock (_gate)
        {
            _calls.Add(call);
        }

        var wanted = OracleSql.Binds(call.Text);
        if (!call.BindsByName || !wanted.SetEquals(call.Values.Keys))
        {
            throw Error(1008, $"{call.Name}: the statement has [{string.Join(", ", wanted)}], bound are "
                + $"[{string.Join(", ", call.Values.Keys)}], by name: {call.BindsByName}");
        }

        var answer = Answer(call) ?? new();
        return answer.Error is { } error ? Task.FromException<FakeAnswer>(error)
            : answer.Hangs ? new TaskCompletionSource<FakeAnswer>().Task : Task.FromResult(answer);
    }
}

/// <summary>A call as the server sees it.</summary>
/// <param name="Text">The statement.</param>
/// <param name="BindsByName">Whether the driver was asked to.</param>
/// <param name="Values">What was bound, by name; null is SQL null.</param>
/// <param name="Documents">Names of those that were bound as a CLOB.</param>
/// <param name="Outputs">Names of out parameters, each with its size.</param>
/// <param name="IsInTransaction">Whether the client had begun a transaction.</param>
/// <param name="Seconds">The command's own limit.</param>
/// <param name="ConnectionString">Of the connection it came by.</param>
internal sealed record FakeCall(
    string Text,
    bool BindsByName,
    IReadOnlyDictionary<string, object?> Values,
    IReadOnlySet<string> Documents,
    IReadOnlyDictionary<string, int> Outputs,
    bool IsInTransaction,
    int Seconds,
    string ConnectionString)
{
    /// <summary>The name of its file; the first words of a statement of the schema.</summary>
    public string Name { get; } = OracleSql.NameOf(Text)
        ?? string.Join(' ', OracleSql.Bare(Text, keepTexts: true).Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries).Take(3));
}

/// <summary>What the server answers.</summary>
internal sealed record FakeAnswer
{
    public IReadOnlyDictionary<string, object?> Outputs { get; init; } = new Dictionary<string, object?>();

    /// <summary>
    /// Rows, each with values of the types that the driver gives: byte arrays for RAW, dates without a kind for instants.
    /// </summary>
    public IReadOnlyList<object?[]> Rows { get; init; } = [];

    public Exception? Error { get; init; }

    /// <summary>Never answers.</summary>
    public bool Hangs { get; init; }

    public static FakeAnswer Row(params object?[] values) => new() { Rows = [values] };

    public static FakeAnswer Failing(int number) => new() { Error = FakeOracle.Error(number) };

    public DataTableReader Read()
    {
        var table = new DataTable();
        for (var column = 0; column < (Rows.Count == 0 ? 0 : Rows[0].Length); column++)
        {
            table.Columns.Add(
                $"c{column}", Rows.Select(row => row[column]?.GetType()).FirstOrDefault(type => type is not null) ?? typeof(string));
        }

        foreach (var row in Rows)
        {
            table.Rows.Add(Array.ConvertAll(row, value => value ?? DBNull.Value));
        }

        return table.CreateDataReader();
    }
}
