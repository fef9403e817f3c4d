using System.Buffers.Binary;
using System.Net;
using System.Net.Http.Headers;
using System.Net.Http.Json;
using System.Net.Sockets;
using System.Text.Json.Nodes;

namespace PerformanceTesting.Backends.Containers;

/// <summary>
/// Requests to the Docker Engine API (https://docs.docker.com/reference/api/engine/), over its Unix socket or TCP, in the newest version
/// that both sides know. A refusal of the engine becomes a <see cref="BackendException"/> with the engine's own words.
/// </summary>
internal sealed class DockerApi : IDisposable
{
    private static readonly Version Oldest = new(1, 25);
    private static readonly Version Newest = new(1, 51);
    private static readonly TimeSpan PingTimeout = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan RequestTimeout = TimeSpan.FromSeconds(20);
    private readonly DockerEndpoint _endpoint;
    private readonly HttpClient _client;

    private DockerApi(DockerEndpoint endpoint)
    {
        _endpoint = endpoint;
        var handler = new SocketsHttpHandler();
        if (endpoint.SocketPath is { } path)
        {
            handler.ConnectCallback = (_, token) => ConnectAsync(path, token);
        }

        _client = new HttpClient(handler)
        {
            BaseAddress = endpoint.SocketPath is null ? new Uri($"http://{endpoint.Address.Authority}") : new Uri("http://docker"),
            Timeout = Timeout.InfiniteTimeSpan, // Each request has its own limit; a log that is followed has none.
        };
    }

    public Version Version { get; private set; } = Newest;

    /// <summary>Asks the engine for its version and takes the newest that both know.</summary>
    /// <exception cref="BackendException">Nothing answers, or only an engine that is too old; says what to do.</exception>
    public static async Task<DockerApi> ConnectAsync(DockerEndpoint endpoint, CancellationToken cancellationToken)
    {
        if (endpoint.SocketPath is { } path && !File.Exists(path))
        {
            throw new BackendException(
                $"no Docker Engine: {path} does not exist. Start one (systemctl start docker, or dockerd as root), "
                    + $"or name its address in {DockerEndpoint.HostName}");
        }

        var api = new DockerApi(endpoint);
        try
        {
            using var answer = await api.SendAsync(
                HttpMethod.Get, "/_ping", null, PingTimeout, HttpCompletionOption.ResponseContentRead, cancellationToken);
            var version = answer.Headers.TryGetValues("Api-Version", out var values) ? values.First() : "";
            if (!answer.IsSuccessStatusCode || !Version.TryParse(version, out var theirs))
            {
                throw new BackendException(
                    $"what answers at {endpoint} is no Docker Engine: status {(int)answer.StatusCode}, no API version");
            }

            api.Version = theirs < Newest ? theirs : Newest;
            return theirs >= Oldest
                ? api
                : throw new BackendException(
                    $"the Docker Engine at {endpoint} speaks API {theirs}; {Oldest} or newer is needed: update it");
        }
        catch
        {
            api.Dispose();
            throw;
        }
    }

    /// <summary>Asks, and gives the answer's body.</summary>
    /// <exception cref="BackendException">The engine refuses or does not answer.</exception>
    public async Task<JsonElement> GetAsync(string path, CancellationToken cancellationToken)
    {
        using var answer = await RequireAsync(HttpMethod.Get, path, null, RequestTimeout, cancellationToken);
        return await answer.Content.ReadFromJsonAsync<JsonElement>(cancellationToken);
    }

    /// <summary>Asks for something that need not exist.</summary>
    /// <returns>Null when it does not.</returns>
    public async Task<JsonElement?> FindAsync(string path, CancellationToken cancellationToken)
    {
        using var answer = await SendAsync(
            HttpMethod.Get, Versioned(path), null, RequestTimeout, HttpCompletionOption.ResponseContentRead, cancellationToken);
        if (answer.StatusCode == HttpStatusCode.NotFound)
        {
            return null;
        }

        await RefuseUnlessSuccessAsync(answer, $"GET {path}", cancellationToken);
        return await answer.Content.ReadFromJsonAsync<JsonElement>(cancellationToken);
    }

    /// <summary>Orders something. What the engine says is already so (304) is as good as done.</summary>
    /// <returns>The answer's body; null when it has none.</returns>
    public async Task<JsonElement?> PostAsync(string path, JsonNode? body, CancellationToken cancellationToken)
    {
        using var content = body is null ? null : Json(body);
        using var answer = await RequireAsync(HttpMethod.Post, path, content, RequestTimeout, cancellationToken);
        var text = await answer.Content.ReadAsStringAsync(cancellationToken);
        return text.Length == 0 ? null : JsonSerializer.Deserialize<JsonElement>(text);
    }

    /// <summary>Orders something and reads what the engine reports meanwhile, to its end or to the caller's.</summary>
    public async Task<Stream> StreamAsync(HttpMethod method, string path, HttpContent? content, CancellationToken cancellationToken)
    {
        var answer = await SendAsync(
            method, Versioned(path), content, Timeout.InfiniteTimeSpan, HttpCompletionOption.ResponseHeadersRead, cancellationToken);
        await RefuseUnlessSuccessAsync(answer, $"{method} {path}", cancellationToken);
        return await answer.Content.ReadAsStreamAsync(cancellationToken);
    }

    /// <summary>Removes something that may be gone already, or be on its way.</summary>
    public async Task DeleteAsync(string path, CancellationToken cancellationToken)
    {
        using var answer = await SendAsync(
            HttpMethod.Delete, Versioned(path), null, RequestTimeout, HttpCompletionOption.ResponseContentRead, cancellationToken);
        if (answer.StatusCode is not (HttpStatusCode.NotFound or HttpStatusCode.Conflict))
        {
            await RefuseUnlessSuccessAsync(answer, $"DELETE {path}", cancellationToken);
        }
    }

    /// <summary>A body with a length: the engine refuses chunks in some versions.</summary>
    public static ByteArrayContent Json(JsonNode body) =>
        new(JsonSerializer.SerializeToUtf8Bytes(body)) { Headers = { ContentType = new MediaTypeHeaderValue("application/json") } };

    public void Dispose() => _client.Dispose();

    private async Task<HttpResponseMessage> RequireAsync(
        HttpMethod method, string path, HttpContent? content, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var answer = await SendAsync(
            method, Versioned(path), content, timeout, HttpCompletionOption.ResponseContentRead, cancellationToken);
        await RefuseUnlessSuccessAsync(answer, $"{method} {path}", cancellationToken);
        return answer;
    }

    private string Versioned(string path) => $"/v{Version}{path}";

    private async Task<HttpResponseMessage> SendAsync(
        HttpMethod method,
        string path,
        HttpContent? content,
        TimeSpan timeout,
        HttpCompletionOption completion,
        CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(timeout);
        using var request = new HttpRequestMessage(method, path) { Content = content };
        try
        {
            return await _client.SendAsync(request, completion, limit.Token);
        }
        catch (HttpRequestException exception)
        {
            throw new BackendException($"the Docker Engine at {_endpoint} cannot be reached: {Reason(exception)}", exception);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new BackendException(string.Create(
                CultureInfo.InvariantCulture,
                $"the Docker Engine at {_endpoint} did not answer {method} {path} within {timeout.TotalSeconds} s: "
                    + $"is it stopped, or overloaded?"));
        }
    }

    private static string Reason(HttpRequestException exception) =>
        exception.InnerException is SocketException { SocketErrorCode: SocketError.AccessDenied } denied
        ? $"{denied.Message}. Let this user reach it: usermod -aG docker {Environment.UserName}, and log in again; "
            + $"or start an engine of this user (rootless) and name it in {DockerEndpoint.HostName}"
        : (exception.InnerException ?? exception).Message;

    private static async Task RefuseUnlessSuccessAsync(HttpResponseMessage answer, string what, CancellationToken cancellationToken)
    {
        if (answer.IsSuccessStatusCode || answer.StatusCode == HttpStatusCode.NotModified)
        {
            return;
        }

        using (answer)
        {
            var text = await answer.Content.ReadAsStringAsync(cancellationToken);
            throw new BackendException($"Docker answers {what} with {(int)answer.StatusCode}: {MessageOf(text)}");
        }
    }

    private static string MessageOf(string text)
    {
        try
        {
            return JsonNode.Parse(text)?["message"]?.GetValue<string>() ?? text;
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            return text.Trim(); // Something between us and the engine answered.
        }
    }

    private static async ValueTask<Stream> ConnectAsync(string path, CancellationToken cancellationToken)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancellationToken);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}

/// <summary>Where the Docker Engine listens.</summary>
/// <param name="Address">As in <c>DOCKER_HOST</c>: <c>unix:///path</c> or <c>tcp://host:port</c>.</param>
/// <param name="PortHost">Where ports that it publishes are reached.</param>
internal sealed record DockerEndpoint(Uri Address, string PortHost)
{
    public const string HostName = "DOCKER_HOST";
    public const string PortHostName = "TESTCONTAINERS_HOST_OVERRIDE";
    public const string TlsName = "DOCKER_TLS_VERIFY";
    private const string Loopback = "127.0.0.1";
    private const string Default = "unix:///var/run/docker.sock";

    /// <summary>The path of the socket; null over TCP.</summary>
    public string? SocketPath => Address.Scheme == "unix" ? Address.AbsolutePath : null;

    /// <summary>Whether ports are published for this machine alone.</summary>
    public bool IsLocal => PortHost == Loopback;

    /// <summary>Reads the variables that users of Docker and Testcontainers know.</summary>
    /// <exception cref="BackendException">They ask for an address that is not supported.</exception>
    public static DockerEndpoint FromVariables(Func<string, string?>? read = null)
    {
        read ??= Environment.GetEnvironmentVariable;
        var named = read(HostName) is { } value && !string.IsNullOrWhiteSpace(value) ? value.Trim() : Default;
        if (!Uri.TryCreate(named, UriKind.Absolute, out var address) || address.Scheme is not ("unix" or "tcp")
            || (address.Scheme == "tcp" && address.Port <= 0))
        {
            throw new BackendException(
                $"{HostName}='{named}' is not spoken here: give unix:///path/to/docker.sock or tcp://host:port, "
                    + $"or unset it for {Default}.");
        }

        if (address.Scheme == "tcp" && !string.IsNullOrWhiteSpace(read(TlsName)))
        {
            throw new BackendException(
                $"{TlsName}={read(TlsName)} asks for TLS to {named}, which is not spoken here: forward the engine's socket instead " +
                $"(ssh -NL /run/remote-docker.sock:/var/run/docker.sock HOST; {HostName}=unix:///run/remote-docker.sock; "
                    + $"{PortHostName}=HOST), or unset it.");
        }

        var host = read(PortHostName) is { } reached && !string.IsNullOrWhiteSpace(reached) ? reached.Trim()
            : address.Scheme == "tcp" && address.Host != "localhost" ? address.Host
            : Loopback;
        return new DockerEndpoint(address, host);
    }

    public override string ToString() => Address.OriginalString;
}

/// <summary>
/// Reads the stream of a container without a terminal: frames of a type (1 output, 2 errors), three zeros, a length of four bytes, and the
/// text (https://docs.docker.com/reference/api/engine/version/v1.41/#tag/Container/operation/ContainerAttach).
/// </summary>
internal static class DockerFrames
{
    private const int HeaderLength = 8;
    private const byte Errors = 2;

    /// <summary>Reads to the end of the stream.</summary>
    public static async IAsyncEnumerable<(bool IsError, string Text)> ReadAsync(
        Stream stream, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var header = new byte[HeaderLength];
        while (await stream.ReadAtLeastAsync(header, HeaderLength, throwOnEndOfStream: false, cancellationToken) == HeaderLength)
        {
            var text = new byte[BinaryPrimitives.ReadInt32BigEndian(header.AsSpan(4))];
            await stream.ReadExactlyAsync(text, cancellationToken);
            yield return (header[0] == Errors, Encoding.UTF8.GetString(text));
        }
    }
}
