using System.Data;
using System.Data.Common;

namespace Workflow.Stores.Oracle.Driver;

/// <summary>
/// One connection and the statements that run on it. A call ends within its limit and five seconds more, even when the server stops
/// answering and the driver goes on waiting: the connection is given up then, and closed behind everybody's back.
/// </summary>
internal sealed class OracleSession : IAsyncDisposable
{
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(5);

    private readonly OracleDriver _driver;
    private readonly DbConnection _connection;
    private readonly TimeProvider _time;
    private Task? _running;

    private OracleSession(OracleDriver driver, DbConnection connection, TimeProvider time)
    {
        _driver = driver;
        _connection = connection;
        _time = time;
    }

    public static async Task<OracleSession> OpenAsync(
        OracleDriver driver, string connectionString, TimeSpan limit, TimeProvider time, CancellationToken cancellationToken)
    {
        var session = new OracleSession(driver, driver.Connection(connectionString), time);
        try
        {
            await session.LimitAsync(session._connection.OpenAsync(cancellationToken), limit, cancellationToken).ConfigureAwait(false);
            return session;
        }
        catch
        {
            await session.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Reads rows.</summary>
    public async Task<IReadOnlyList<T>> ListAsync<T>(
        string text, Func<DbDataReader, T> read, TimeSpan limit, CancellationToken cancellationToken, params Bind[] binds)
    {
        var rows = new List<T>();
        await LimitAsync(ReadAsync(text, r => rows.Add(read(r)), limit, binds, cancellationToken), limit, cancellationToken).ConfigureAwait(
            false);
        return rows;
    }

    /// <summary>Runs a block or a statement without rows, and returns its out parameters.</summary>
    public async Task<OutValues> RunAsync(string text, TimeSpan limit, CancellationToken cancellationToken, params Bind[] binds)
    {
        var values = new OutValues();
        await LimitAsync(ExecuteAsync(text, limit, binds, values, cancellationToken), limit, cancellationToken).ConfigureAwait(false);
        return values;
    }

    /// <summary>Begins a transaction, which lasts until it is committed or the session ends.</summary>
    public ValueTask<DbTransaction> BeginAsync(CancellationToken cancellationToken) =>
        _connection.BeginTransactionAsync(IsolationLevel.ReadCommitted, cancellationToken); // The driver takes no unspecified one.

    public async ValueTask DisposeAsync()
    {
        if (_running is { IsCompleted: false } running)
        {
            // Whatever comes of it, nobody waits for it any more: its outcome is unknown, and was reported so.
            _ = running.ContinueWith(static (_, c) => ((DbConnection)c!).Dispose(), _connection, CancellationToken.None,
                TaskContinuationOptions.None, TaskScheduler.Default);
            return;
        }

        await _connection.DisposeAsync().ConfigureAwait(false);
    }

    private async Task ReadAsync(string text, Action<DbDataReader> take, TimeSpan limit, Bind[] binds, CancellationToken cancellationToken)
    {
        var command = _driver.Command(_connection, text, limit, binds);
        await using (command.ConfigureAwait(false))
        {
            var reader = await command.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await using (reader.ConfigureAwait(false))
            {
                while (await reader.ReadAsync(cancellationToken).ConfigureAwait(false))
                {
                    take(reader);
                }
            }
        }
    }

    private async Task ExecuteAsync(string text, TimeSpan limit, Bind[] binds, OutValues values, CancellationToken cancellationToken)
    {
        var command = _driver.Command(_connection, text, limit, binds);
        await using (command.ConfigureAwait(false))
        {
            await command.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
            values.Take(command.Parameters);
        }
    }

    private Task LimitAsync(Task call, TimeSpan limit, CancellationToken cancellationToken)
    {
        _running = call;
        return call.WaitAsync(limit + Grace, _time, cancellationToken);
    }
}

/// <summary>A value for a bind variable, by its name in the statement without the colon.</summary>
internal readonly record struct Bind
{
    private const int LongestText = 8_000;

    private readonly DbType _type;
    private readonly object? _value;
    private readonly bool _isOutput;

    private Bind(string name, DbType type, object? value, bool isOutput = false, bool isDocument = false)
    {
        Name = name;
        _type = type;
        _value = value;
        _isOutput = isOutput;
        IsDocument = isDocument;
    }

    public string Name { get; }

    public bool IsNull => _value is null && !_isOutput;

    /// <summary>Whether it is bound as a CLOB.</summary>
    public bool IsDocument { get; }

    /// <summary>Text of at most 4,000 bytes.</summary>
    public static Bind Text(string name, string? value) => new(name, DbType.String, value);

    /// <summary>Text of any length.</summary>
    public static Bind Document(string name, string value) => new(name, DbType.String, value, isDocument: true);

    public static Bind Number(string name, long? value) => new(name, DbType.Int64, value);

    public static Bind Id(string name, Guid? value) => new(name, DbType.Binary, value?.ToByteArray(bigEndian: true));

    /// <summary>An instant as text in a fixed form: neither the driver's conversions nor the session's time zone come into it.</summary>
    public static Bind Instant(string name, DateTimeOffset value) => Text(name, OracleText.Of(value));

    public static Bind OutNumber(string name) => new(name, DbType.Int64, value: null, isOutput: true);

    /// <summary>Text of at most 8,000 characters.</summary>
    public static Bind OutText(string name) => new(name, DbType.String, value: null, isOutput: true);

    public void Fill(DbParameter parameter)
    {
        parameter.ParameterName = Name;
        parameter.DbType = _type;
        parameter.Direction = _isOutput ? ParameterDirection.Output : ParameterDirection.Input;
        if (_isOutput && _type == DbType.String)
        {
            parameter.Size = LongestText;
        }

        parameter.Value = _value ?? DBNull.Value;
    }
}

/// <summary>What a block returned in its out parameters.</summary>
internal sealed class OutValues
{
    private readonly Dictionary<string, object?> _values = new(StringComparer.Ordinal);

    public void Take(DbParameterCollection parameters)
    {
        foreach (DbParameter parameter in parameters)
        {
            if (parameter.Direction == ParameterDirection.Output)
            {
                _values[parameter.ParameterName] = parameter.Value is DBNull ? null : parameter.Value;
            }
        }
    }

    public long Number(string name) =>
        OptionalNumber(name) ?? throw new InvalidOperationException($"The block returned no {name}.");

    public long? OptionalNumber(string name) => _values[name] is { } value ? Convert.ToInt64(value, CultureInfo.InvariantCulture) : null;

    public string? Text(string name) => _values[name]?.ToString() is { Length: > 0 } text ? text : null;
}

/// <summary>Ids and instants as the statements take them in text.</summary>
internal static class OracleText
{
    private const string InstantForm = "yyyy-MM-dd'T'HH:mm:ss.fffffff";

    /// <summary>32 hexadecimal digits in the order of the bytes of the RAW, which sorts as the id does.</summary>
    public static string Of(Guid id) => id.ToString("N").ToUpperInvariant();

    /// <summary>UTC with seven fractional digits, as <c>YYYY-MM-DD"T"HH24:MI:SS.FF</c> reads it.</summary>
    public static string Of(DateTimeOffset instant) => instant.UtcDateTime.ToString(InstantForm, CultureInfo.InvariantCulture);
}
