using System.Data;
using System.Data.Common;

namespace UnitTests.Workflow.Oracle;

/// <summary>
/// A provider with the properties of Oracle's driver that the adapters set by name, and a server that answers what a
/// test asks it to. Like the real one it refuses a call of which a bind variable is not bound, or that binds one which
/// is not there.
/// </summary>
internal sealed class FakeOracle : DbProviderFactory
{
    private readonly Lock _gate = new();
    private readonly List<FakeCall> _calls = [];

    /// <summary>
    /// What the server does with a call that names its variables rightly; rows are empty and out parameters 1 or null
    /// where it does nothing.
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

    /// <summary>An error as the driver reports it: number, text, and the lines of the block that raised it.</summary>
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
