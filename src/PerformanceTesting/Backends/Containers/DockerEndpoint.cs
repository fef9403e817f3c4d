namespace PerformanceTesting.Backends.Containers;

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
    /// <exception cref="BackendException">They ask for a way that is not spoken here.</exception>
    public static DockerEndpoint FromVariables(Func<string, string?>? read = null)
    {
        read ??= Environment.GetEnvironmentVariable;
        var named = read(HostName) is { } value && !string.IsNullOrWhiteSpace(value) ? value.Trim() : Default;
        if (!Uri.TryCreate(named, UriKind.Absolute, out var address) || address.Scheme is not ("unix" or "tcp") || (address.Scheme == "tcp" && address.Port <= 0))
        {
            throw new BackendException(
                $"{HostName}='{named}' is not spoken here: give unix:///path/to/docker.sock or tcp://host:port, or unset it for {Default}.");
        }

        if (address.Scheme == "tcp" && !string.IsNullOrWhiteSpace(read(TlsName)))
        {
            throw new BackendException(
                $"{TlsName}={read(TlsName)} asks for TLS to {named}, which is not spoken here: forward the engine's socket instead " +
                $"(ssh -NL /run/remote-docker.sock:/var/run/docker.sock HOST; {HostName}=unix:///run/remote-docker.sock; {PortHostName}=HOST), or unset it.");
        }

        var host = read(PortHostName) is { } reached && !string.IsNullOrWhiteSpace(reached) ? reached.Trim()
            : address.Scheme == "tcp" && address.Host != "localhost" ? address.Host
            : Loopback;
        return new DockerEndpoint(address, host);
    }

    public override string ToString() => Address.OriginalString;
}
