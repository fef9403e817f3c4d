using System.Net.Sockets;

namespace LoadTesting.Tool.Doctor;

/// <summary>The Docker Engine, behind its local socket or over TCP, as the suite would ask it.</summary>
internal static class DockerEngine
{
    private const string Check = "Docker";
    private const string Unix = "unix";
    private const string Tcp = "tcp";
    private const string Fix =
        "Start Docker and let this user reach it (group docker for its socket), or continue without it: containers are "
            + "one of three ways to a server.";

    /// <param name="variable">Gives a variable's value or null: <c>DOCKER_HOST</c>, the usual socket without it, and
    /// <c>DOCKER_TLS_VERIFY</c>.</param>
    /// <param name="timeout">How long to wait for an answer.</param>
    public static async Task<DoctorLine> LookAsync(
        Func<string, string?> variable, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var named = variable("DOCKER_HOST") is { } host && !string.IsNullOrWhiteSpace(host)
            ? host.Trim() : "unix:///var/run/docker.sock";
        if (!Uri.TryCreate(named, UriKind.Absolute, out var address) || address.Scheme is not (Unix or Tcp)
            || (address.Scheme == Tcp && address.Port <= 0))
        {
            return new(Check, DoctorState.Warning, $"DOCKER_HOST is {named}, which is not supported",
                "Give unix:///path/to/docker.sock or tcp://host:port, or unset it.");
        }

        if (address.Scheme == Tcp && !string.IsNullOrWhiteSpace(variable("DOCKER_TLS_VERIFY")))
        {
            return new(
                Check, DoctorState.Warning, $"DOCKER_TLS_VERIFY asks for TLS to {named}, which is not checked here",
                "The suite uses ca.pem, cert.pem and key.pem of DOCKER_CERT_PATH. "
                    + "Run docker version to see whether they are accepted.");
        }

        var path = address.Scheme == Unix ? address.AbsolutePath : null;
        if (path is not null && !File.Exists(path))
        {
            return new(Check, DoctorState.Warning, $"{path} does not exist", Fix);
        }

        var problem = await PingAsync(address, path, timeout, cancellationToken).ConfigureAwait(false);
        return problem is null
            ? new(Check, DoctorState.Ok, $"answers at {path ?? named}")
            : new(Check, DoctorState.Warning, $"{path ?? named}: {problem}", Fix);
    }

    private static async Task<string?> PingAsync(
        Uri address, string? path, TimeSpan timeout, CancellationToken cancellationToken)
    {
        using var handler = path is null
            ? new SocketsHttpHandler { UseProxy = false }
            : new SocketsHttpHandler { ConnectCallback = (_, token) => ConnectAsync(path, token) };
        using var client = new HttpClient(handler) { Timeout = timeout };
        try
        {
            using var answer = await client.GetAsync(
                new Uri(path is null ? $"http://{address.Authority}/_ping" : "http://docker/_ping"),
                cancellationToken).ConfigureAwait(false);
            return answer.IsSuccessStatusCode ? null : $"answers with status {(int)answer.StatusCode}";
        }
        catch (HttpRequestException exception)
        {
            return (exception.InnerException ?? exception).Message;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return $"no answer within {timeout.TotalSeconds.ToString(CultureInfo.InvariantCulture)} s";
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
