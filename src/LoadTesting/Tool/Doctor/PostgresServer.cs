using System.Data.Common;
using System.Net.Sockets;

namespace LoadTesting.Tool.Doctor;

/// <summary>The server that <c>WORKFLOW_PERF_POSTGRES</c> names.</summary>
internal static class PostgresServer
{
    public const string Variable = "WORKFLOW_PERF_POSTGRES";

    private const string Check = "PostgreSQL server";
    private const string Example = "'Host=...;Port=5432;Username=...;Password=...;Database=...'";

    // Length 8 and the code 1234.5679: https://www.postgresql.org/docs/current/protocol-message-formats.html,
    // SSLRequest.
    private static readonly byte[] EncryptionRequest = [0, 0, 0, 8, 4, 210, 22, 47];

    /// <summary>Asks the server whether it encrypts: any PostgreSQL answers that before it wants a name.</summary>
    public static async Task<DoctorLine> LookAsync(
        string? connectionString, TimeSpan timeout, CancellationToken cancellationToken)
    {
        if (string.IsNullOrWhiteSpace(connectionString))
        {
            return new(Check, DoctorState.Ok, $"{Variable} is not set: the suite starts its own servers");
        }

        if (Target(connectionString) is not { } target)
        {
            // The string is not repeated: any part of a malformed one may be the password.
            return new(Check,
                DoctorState.Failure, $"{Variable} is set but names no Host", $"Set it to {Example}, or unset it.");
        }

        var (host, port) = target;
        var place = $"{host}, port {port.ToString(CultureInfo.InvariantCulture)}";
        var answer = await AskAsync(host, port, timeout, cancellationToken).ConfigureAwait(false);
        return answer is null
            ? new(Check, DoctorState.Ok, $"answers at {place}")
            : new(Check,
                DoctorState.Failure, $"{place}: {answer}", $"Start the server, or correct or unset {Variable}.");
    }

    internal static (string Host, int Port)? Target(string connectionString)
    {
        try
        {
            var builder = new DbConnectionStringBuilder { ConnectionString = connectionString };
            var host = Value(builder, "Host") ?? Value(builder, "Server");
            var port = Value(builder, "Port") ?? "5432";
            return host is not null
                && int.TryParse(port, NumberStyles.None, CultureInfo.InvariantCulture, out var number)
                ? (host.Split(',')[0], number)
                : null;
        }
        catch (ArgumentException)
        {
            return null;
        }
    }

    private static string? Value(DbConnectionStringBuilder builder, string name) =>
        builder.TryGetValue(name, out var value) && value is string { Length: > 0 } text ? text : null;

    /// <summary>Null when it answered as PostgreSQL does, else what happened.</summary>
    private static async Task<string?> AskAsync(
        string host, int port, TimeSpan timeout, CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(timeout);
        try
        {
            using var socket = await ConnectAsync(host, port, limit.Token).ConfigureAwait(false);
            await socket.SendAsync(EncryptionRequest, limit.Token).ConfigureAwait(false);
            var answer = new byte[1];
            var received = await socket.ReceiveAsync(answer, limit.Token).ConfigureAwait(false);
            return received == 1 && answer[0] is (byte)'S' or (byte)'N'
                ? null : "something listens there that is not PostgreSQL";
        }
        catch (SocketException exception)
        {
            return exception.Message;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return $"no answer within {timeout.TotalSeconds.ToString(CultureInfo.InvariantCulture)} s";
        }
    }

    private static async Task<Socket> ConnectAsync(string host, int port, CancellationToken cancellationToken)
    {
        // A host that is a path is the directory of the server's socket, as in libpq.
        var isPath = host.StartsWith('/');
        var socket = isPath
            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
            : new Socket(SocketType.Stream, ProtocolType.Tcp);
        try
        {
            var connecting = isPath
                ? socket.ConnectAsync(
                    new UnixDomainSocketEndPoint(Path.Combine(host, $".s.PGSQL.{port}")), cancellationToken)
                : socket.ConnectAsync(host, port, cancellationToken);
            await connecting.ConfigureAwait(false);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
