using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.PostgreSql;

/// <summary>
/// What an error of the server or of the connection means to the engine. Classes are those of the manual's appendix A.
/// </summary>
internal static class PostgresErrors
{
    public static FlushException ToFlushException(Exception error) => error switch
    {
        PostgresException server => new(Kind(server), $"PostgreSQL {server.SqlState}: {server.MessageText}", error),
        _ => new(FlushFailure.Unavailable, $"PostgreSQL cannot be reached: {error.Message}", error),
    };

    /// <summary>Names server, database and user, and what to look at; never the password.</summary>
    public static StoreUnavailableException ToUnavailable(
        Exception error, NpgsqlConnectionStringBuilder target, bool outcomeUnknown = false)
    {
        var notification = (error as PostgresException)?.SqlState switch
        {
            "28P01" or "28000" => "Check Username and Password, and the server's pg_hba.conf.",
            "3D000" => "Create the database, or name another one.",
            "53300" => "The server has no connection left: raise max_connections, or close others.",
            "42501" =>
                "The user may not create the schema: grant CREATE on the database, or have an administrator create it.",
            null => "Check that the server runs and that Host and Port are right.",
            _ => "See the server's log.",
        };
        return new($"PostgreSQL at {target.Host}:{target.Port}, database '{target.Database}', user "
            + $"'{target.Username}': {error.Message.TrimEnd('.')}. {notification}", outcomeUnknown, error);
    }

    public static bool IsConnectionError(Exception error) =>
        error is NpgsqlException or TimeoutException or IOException or System.Net.Sockets.SocketException;

    /// <summary>
    /// Whether a command failed because of its connection. Npgsql throws InvalidOperationException (or
    /// ObjectDisposedException) if the connection broke before the command was sent.
    /// </summary>
    public static bool IsConnectionErrorOfCommand(Exception error) =>
        IsConnectionError(error) || error is InvalidOperationException;

    /// <summary>Whether an established connection was lost, so that a new one may work.</summary>
    public static bool IsLostConnection(Exception error) =>
        error is PostgresException { SqlState: "57P01" or "57P02" }
            or NpgsqlException { InnerException: IOException or System.Net.Sockets.SocketException };

    private static FlushFailure Kind(PostgresException error) => error.SqlState switch
    {
        "WF001" => FlushFailure.Fenced,
        "40001" or "40P01" => FlushFailure.Conflict,
        "23505" when error.TableName == "idempotency_keys" => FlushFailure.Conflict,
        "WF002" or "23505" => FlushFailure.Stale,
        // What was written is to blame: its data, a constraint, a limit of the program, a trigger. Whatever else it is
        // may pass.
        ['2', '1' or '2' or '3', ..] or ['5', '4', ..] or ['P', '0', ..] => FlushFailure.Rejected,
        _ => FlushFailure.Unavailable,
    };
}
