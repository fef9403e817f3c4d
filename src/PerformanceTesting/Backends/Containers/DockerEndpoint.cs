using System.Net.Security;
using System.Security.Cryptography;
using Docker.DotNet;
using Docker.DotNet.Handler.Abstractions;
using Docker.DotNet.X509;
using DotNet.Testcontainers.Configurations;

namespace PerformanceTesting.Backends.Containers;

/// <summary>
/// Where the Docker Engine listens, for Testcontainers and for the client below it. Testcontainers finds no engine that
/// is older than its own API version (1.44, Docker 25); this endpoint asks in a version that the engine knows.
/// </summary>
/// <param name="Endpoint">As in <c>DOCKER_HOST</c>, e.g. <c>unix:///path</c> or <c>tcp://host:port</c>.</param>
/// <param name="AuthProvider">Certificates for TLS; null without.</param>
/// <param name="PortHost">Where ports that the engine publishes are reached.</param>
internal sealed record DockerEndpoint(Uri Endpoint, IAuthProvider? AuthProvider, string PortHost)
    : IDockerEndpointAuthenticationConfiguration
{
    public const string HostName = "DOCKER_HOST";
    public const string PortHostName = "TESTCONTAINERS_HOST_OVERRIDE";
    public const string TlsName = "DOCKER_TLS_VERIFY";
    public const string CertificatesName = "DOCKER_CERT_PATH";
    private const string Loopback = "127.0.0.1";

    /// <summary>The version of the API to ask in; null (the default) for the newest of the engine.</summary>
    public Version? Version { get; init; }

    /// <summary>The path of the socket; null over TCP.</summary>
    public string? SocketPath => Endpoint.Scheme == "unix" ? Endpoint.LocalPath : null;

    /// <summary>The address that ports are published on; empty for every address of the engine's machine.</summary>
    public string PublishedAddress => PortHost == Loopback ? Loopback : "";

    /// <summary>Reads the variables and the context that users of Docker and Testcontainers know.</summary>
    /// <param name="read">Gives a variable's value or null; the process environment when omitted.</param>
    /// <exception cref="BackendException">They name an address or certificates that cannot be used.</exception>
    public static DockerEndpoint FromVariables(Func<string, string?>? read = null)
    {
        var variables = new DockerVariables(read ?? Environment.GetEnvironmentVariable);
        var address = AddressOf(variables);
        var isRemote = address.Scheme is "tcp" or "http" or "https";
        var host = variables.Read(PortHostName) ?? (isRemote && address.Host != "localhost" ? address.Host : Loopback);
        return new DockerEndpoint(address, isRemote ? CredentialsOf(variables, address) : null, host);
    }

    /// <summary>The same endpoint, asked in the newest version that both the engine and Testcontainers know.</summary>
    public DockerEndpoint In(Version theirs)
    {
        var ours = Ours.Version;
        return this with { Version = theirs < ours ? theirs : ours };
    }

    public DockerClientBuilder GetDockerClientBuilder(Guid sessionId = default) =>
        Ours.GetDockerClientBuilder(sessionId).WithApiVersion(Version);

    public override string ToString() => Endpoint.OriginalString;

    private DockerEndpointAuthenticationConfiguration Ours => new(Endpoint, AuthProvider);

    private static Uri AddressOf(DockerVariables variables)
    {
        try
        {
            var address = new DockerConfig(variables).GetEndpoint();
            return address.Scheme is "unix" or "npipe" or "http" or "https" || address is { Scheme: "tcp", Port: > 0 }
                ? address
                : throw new BackendException(
                    $"{HostName}='{address.OriginalString}' is not supported: give unix:///path/to/docker.sock or "
                        + "tcp://host:port, or unset it for the engine of this machine.");
        }
        catch (DockerConfigurationException exception)
        {
            throw new BackendException(
                $"{exception.Message} Give unix:///path/to/docker.sock or tcp://host:port in {HostName}.", exception);
        }
    }

    private static CertificateCredentials? CredentialsOf(DockerVariables variables, Uri address)
    {
        if (variables.DockerTlsVerify is not { } verify)
        {
            return null;
        }

        var folder = variables.Read(CertificatesName)
            ?? variables.DockerConfig
            ?? Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".docker");
        try
        {
            var certificates = DockerTlsCertificates.LoadFromDirectory(folder);
            var credentials = (CertificateCredentials)certificates.CreateCredentials();
            var isTrusted = credentials.ServerCertificateValidationCallback;

            // The client trusts whatever the authority has signed, under any name.
            credentials.ServerCertificateValidationCallback = (sender, certificate, chain, errors) =>
                !errors.HasFlag(SslPolicyErrors.RemoteCertificateNameMismatch)
                && (isTrusted?.Invoke(sender, certificate, chain, errors) ?? errors == SslPolicyErrors.None);
            return credentials;
        }
        catch (Exception exception)
            when (exception is IOException or UnauthorizedAccessException or CryptographicException)
        {
            throw new BackendException(
                $"{TlsName}={verify} asks for TLS to {address.OriginalString}, and ca.pem, cert.pem or key.pem in "
                    + $"{folder} cannot be read: {exception.Message}. Put them there, name their folder in "
                    + $"{CertificatesName}, or unset {TlsName}.",
                exception);
        }
    }

    /// <summary>The variables of the <c>docker</c> command; blank ones count as unset.</summary>
    private sealed class DockerVariables(Func<string, string?> read) : IDockerCliSettings
    {
        public string? DockerConfig => Read("DOCKER_CONFIG");
        public string? DockerContext => Read("DOCKER_CONTEXT");
        public string? DockerHost => Read(HostName);
        public string? DockerTlsVerify => Read(TlsName);

        public string? Read(string name) =>
            read(name) is { } value && !string.IsNullOrWhiteSpace(value) ? value.Trim() : null;
    }
}
