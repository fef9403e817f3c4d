using System.Globalization;
using System.Net.Sockets;

namespace LoadTesting.Tool.Doctor;

/// <summary>The Docker Engine behind its local socket.</summary>
internal static class DockerEngine
{
    private const string Check = "Docker";
    private const string Fix =
        "Start Docker and let this user reach its socket (group docker), or do without: containers are one of three ways to a server.";

    /// <param name="host">The value of <c>DOCKER_HOST</c>; the usual socket when null or empty.</param>
    /// <param name="patience">How long to wait for an answer.</param>
    /// <param name="cancellationToken">Cancels the waiting.</param>
    public static async Task<DoctorLine> LookAsync(string? host, TimeSpan patience, CancellationToken cancellationToken)
    {
        var address = string.IsNullOrWhiteSpace(host) ? "unix:///var/run/docker.sock" : host;
        if (!address.StartsWith("unix://", StringComparison.Ordinal))
        {
            return new(Check, DoctorState.Warning, $"DOCKER_HOST is {address}; only unix sockets are asked", "Check it with 'docker version'.");
        }

        var path = address["unix://".Length..];
        if (!File.Exists(path))
        {
            return new(Check, DoctorState.Warning, $"{path} does not exist", Fix);
        }

        var problem = await PingAsync(path, patience, cancellationToken).ConfigureAwait(false);
        return problem is null ? new(Check, DoctorState.Ok, $"answers at {path}") : new(Check, DoctorState.Warning, $"{path}: {problem}", Fix);
    }

    private static async Task<string?> PingAsync(string path, TimeSpan patience, CancellationToken cancellationToken)
    {
        using var handler = new SocketsHttpHandler { ConnectCallback = (_, token) => ConnectAsync(path, token) };
        using var client = new HttpClient(handler) { Timeout = patience };
        try
        {
            using var answer = await client.GetAsync(new Uri("http://docker/_ping"), cancellationToken).ConfigureAwait(false);
            return answer.IsSuccessStatusCode ? null : $"answers with status {(int)answer.StatusCode}";
        }
        catch (HttpRequestException exception)
        {
            return (exception.InnerException ?? exception).Message;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return $"no answer within {patience.TotalSeconds.ToString(CultureInfo.InvariantCulture)} s";
        }
    }

    private static async ValueTask<Stream> ConnectAsync(string path, CancellationToken cancellationToken)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancellationToken).ConfigureAwait(false);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
