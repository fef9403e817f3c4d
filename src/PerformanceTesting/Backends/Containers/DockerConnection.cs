using System.Net;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Text.Json.Nodes;
using Docker.DotNet;
using Docker.DotNet.Models;

namespace PerformanceTesting.Backends.Containers;

/// <summary>
/// A Docker Engine that answered. What it refuses becomes a <see cref="BackendException"/> with the engine's own words,
/// whether Testcontainers asked or its client did.
/// </summary>
internal sealed class DockerConnection : IDisposable
{
    private static readonly TimeSpan LookTimeout = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan AnswerTimeout = TimeSpan.FromSeconds(20);
    private readonly DockerClient _client;

    private DockerConnection(DockerEndpoint endpoint, string engineVersion)
    {
        Endpoint = endpoint;
        EngineVersion = engineVersion;
        _client = endpoint.GetDockerClientBuilder().WithTimeout(AnswerTimeout).Build();
    }

    /// <summary>Where it listens, with the version of the API that both sides know.</summary>
    public DockerEndpoint Endpoint { get; }

    public string EngineVersion { get; }

    /// <summary>Asks the engine for its version.</summary>
    /// <exception cref="BackendException">Nothing answers, or not a Docker Engine; says what to do.</exception>
    public static async Task<DockerConnection> ConnectAsync(
        DockerEndpoint endpoint, CancellationToken cancellationToken)
    {
        if (endpoint.SocketPath is { } path && !File.Exists(path))
        {
            throw new BackendException(
                $"no Docker Engine: {path} does not exist. Start one (systemctl start docker, or dockerd as root), "
                    + $"or name its address in {DockerEndpoint.HostName}");
        }

        using var client = endpoint.GetDockerClientBuilder().WithTimeout(LookTimeout).Build();
        try
        {
            var answer = await client.System.GetVersionAsync(cancellationToken);
            return System.Version.TryParse(answer.APIVersion, out var theirs)
                ? new DockerConnection(endpoint.In(theirs), answer.Version ?? "of an unknown version")
                : throw NotAnEngine(endpoint, "it gives no API version");
        }
        catch (DockerApiException exception)
        {
            throw NotAnEngine(endpoint, $"status {(int)exception.StatusCode}");
        }
        catch (JsonException)
        {
            throw NotAnEngine(endpoint, "it gives no API version");
        }
        catch (Exception exception)
            when (Explain(exception, endpoint, "say its version", cancellationToken) is { } words)
        {
            throw new BackendException(words, exception);
        }
    }

    /// <summary>Asks for something.</summary>
    /// <param name="what">What the engine is asked to do, a verb phrase that follows "cannot".</param>
    /// <exception cref="BackendException">The engine refuses or does not answer.</exception>
    public async Task<T> AskAsync<T>(string what, Func<IDockerClient, Task<T>> ask, CancellationToken cancellationToken)
    {
        try
        {
            return await ask(_client);
        }
        catch (Exception exception) when (Explain(exception, Endpoint, what, cancellationToken) is { } words)
        {
            throw new BackendException(words, exception);
        }
    }

    /// <inheritdoc cref="AskAsync{T}"/>
    public Task AskAsync(string what, Func<IDockerClient, Task> ask, CancellationToken cancellationToken) =>
        AskAsync(
            what,
            async client =>
            {
                await ask(client);
                return true;
            },
            cancellationToken);

    /// <summary>Removes a container with its volumes; succeeds if it is gone already, or about to be.</summary>
    /// <param name="container">Id or name.</param>
    public Task RemoveAsync(string container, CancellationToken cancellationToken) => AskAsync(
        $"remove {container}",
        async client =>
        {
            try
            {
                await client.Containers.RemoveContainerAsync(
                    container, new ContainerRemoveParameters { Force = true, RemoveVolumes = true }, cancellationToken);
            }
            catch (DockerApiException refusal)
                when (refusal.StatusCode is HttpStatusCode.NotFound or HttpStatusCode.Conflict)
            {
                // It is gone, or another process removes it at this moment.
            }
        },
        cancellationToken);

    public void Dispose() => _client.Dispose();

    /// <summary>What a failure of the engine means; null for another failure, which goes on as it is.</summary>
    private static string? Explain(
        Exception exception, DockerEndpoint endpoint, string what, CancellationToken cancellationToken) =>
        exception switch
        {
            DockerApiException refusal =>
                $"Docker cannot {what}: {MessageOf(refusal.ResponseBody ?? "")} (status {(int)refusal.StatusCode})",
            OperationCanceledException or TimeoutException when !cancellationToken.IsCancellationRequested =>
                $"the Docker Engine at {endpoint} did not {what} in time: is it stopped, or overloaded?",
            HttpRequestException or SocketException or IOException or AuthenticationException =>
                $"the Docker Engine at {endpoint} cannot be reached: {ReasonOf(exception)}",
            _ => null,
        };

    private static string ReasonOf(Exception exception)
    {
        if (exception is AuthenticationException)
        {
            return $"{exception.Message} {DockerEndpoint.CertificatesName} names the folder of the certificates.";
        }

        var cause = exception.GetBaseException();
        return cause is SocketException { SocketErrorCode: SocketError.AccessDenied }
            ? $"{cause.Message}. Let this user reach it: usermod -aG docker {Environment.UserName}, and log in again; "
                + $"or start an engine of this user (rootless) and name it in {DockerEndpoint.HostName}"
            : cause.Message;
    }

    private static string MessageOf(string body)
    {
        try
        {
            return JsonNode.Parse(body)?["message"]?.GetValue<string>() ?? body;
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            return body.Trim(); // Something between this process and the engine answered.
        }
    }

    private static BackendException NotAnEngine(DockerEndpoint endpoint, string reason) =>
        new($"what answers at {endpoint} is not a Docker Engine: {reason}");
}
