using System.Net.Sockets;

namespace IntegrationTests.Containers;

/// <summary>Engines that are not there, not for us, or not well. None of these needs Docker.</summary>
[Trait("Category", "Integration")]
public sealed class DockerConnectionTests : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("workflow-engine-").FullName;
    private readonly long _start = Stopwatch.GetTimestamp();

    private string SocketPath => Path.Combine(_directory, "docker.sock");

    public void Dispose()
    {
        Assert.InRange(Stopwatch.GetElapsedTime(_start), TimeSpan.Zero, TimeSpan.FromMinutes(1));
        Directory.Delete(_directory, recursive: true);
    }

    [Fact]
    public async Task Missing_socket_is_reported_with_what_starts_an_engine()
    {
        var refusal = await LookAsync();

        Assert.StartsWith($"no Docker Engine: {SocketPath} does not exist", refusal, StringComparison.Ordinal);
        Assert.Contains("DOCKER_HOST", refusal, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Socket_without_a_listener_is_reported()
    {
        using var deaf = Bind();

        Assert.Contains("cannot be reached: Connection refused", await LookAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Engine_that_does_not_answer_is_given_up_on_after_seconds()
    {
        using var listener = Listen();

        Assert.Contains("did not say its version in time", await LookAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_no_engine_is_reported() =>
        AssertHolds(await AnsweredAsync("200 OK"), "is not a Docker Engine: it gives no API version");

    [Fact]
    public async Task Unexpected_answer_is_reported_with_its_status() =>
        AssertHolds(await AnsweredAsync("404 Not Found"), "is not a Docker Engine: status 404");

    [Fact]
    public async Task Socket_without_permission_is_reported_with_what_gives_it()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Permissions of sockets are those of Linux.");
        using var listener = Listen();
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(SocketPath, UnixFileMode.None);
        }

        // Root goes everywhere, so that another process looks without that privilege, at a socket that is another
        // user's.
        var (program, arguments) = (Environment.ProcessPath!, ServerForAnotherProcess.Arguments());
        if (Environment.IsPrivilegedProcess)
        {
            await Command.RunAsync("chown", ["65534", SocketPath], cancellationToken: Cancel);
            (program, arguments) = ("setpriv",
                ["--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all", "--", program, .. arguments]);
        }

        var note = Path.Combine(_directory, "note");
        var looked = await Command.RunAsync(
            program, arguments,
            new Dictionary<string, string?>
            {
                [ServerForAnotherProcess.LookVariable] = note, ["DOCKER_HOST"] = $"unix://{SocketPath}",
            },
            Cancel);

        Assert.True(File.Exists(note), looked.Describe());
        var refusal = await File.ReadAllTextAsync(note, Cancel);
        AssertHolds(refusal, "Permission denied", "usermod -aG docker");
    }

    [Theory]
    [InlineData("ssh://user@host"), InlineData("tcp://host")]
    [InlineData("/var/run/docker.sock"), InlineData("nonsense")]
    public async Task Address_that_is_not_supported_is_refused_with_those_that_are(string address)
    {
        var (_, refusal) = await DockerEngine.FindAsync(Variables(("DOCKER_HOST", address)), Cancel);

        AssertHolds(refusal, "DOCKER_HOST", $"'{address}'", "ive unix:///path/to/docker.sock or tcp://host:port");
    }

    [Fact]
    public async Task Certificates_that_are_missing_are_reported_with_their_folder()
    {
        var variables = Variables(
            ("DOCKER_HOST", "tcp://engine:2376"), ("DOCKER_TLS_VERIFY", "1"), ("DOCKER_CERT_PATH", _directory));

        var (_, refusal) = await DockerEngine.FindAsync(variables, Cancel);

        AssertHolds(
            refusal,
            "DOCKER_TLS_VERIFY=1 asks for TLS to tcp://engine:2376",
            $"key.pem in {_directory} cannot be read");
    }

    [Theory]
    [InlineData(null, null, "127.0.0.1", "127.0.0.1")]
    [InlineData("unix:///run/user/1000/docker.sock", null, "127.0.0.1", "127.0.0.1")]
    [InlineData("tcp://localhost:2375", null, "127.0.0.1", "127.0.0.1")]
    [InlineData("tcp://10.0.0.7:2375", null, "10.0.0.7", "")]
    [InlineData(null, "172.17.0.1", "172.17.0.1", "")]
    public void Ports_are_reached_at_the_engine_or_the_variable(
        string? address, string? host, string expected, string published)
    {
        var endpoint = DockerEndpoint.FromVariables(
            Variables(("DOCKER_HOST", address), ("DOCKER_CONTEXT", "default"), ("TESTCONTAINERS_HOST_OVERRIDE", host)));

        Assert.Equal((expected, published), (endpoint.PortHost, endpoint.PublishedAddress));
    }

    private static Func<string, string?> Variables(params (string Name, string? Value)[] set) =>
        name => set.FirstOrDefault(pair => pair.Name == name).Value;

    private async Task<string> LookAsync()
    {
        var (engine, refusal) = await DockerEngine.FindAsync(
            Variables(("DOCKER_HOST", $"unix://{SocketPath}")), Cancel);
        Assert.Null(engine);
        return refusal!;
    }

    /// <summary>Looks at something that answers one request with this status and no JSON.</summary>
    private async Task<string> AnsweredAsync(string status)
    {
        using var listener = Listen();
        var answering = AnswerAsync(listener, status);
        var refusal = await LookAsync();
        await answering;
        return refusal;
    }

    private static async Task AnswerAsync(Socket listener, string status)
    {
        using var socket = await listener.AcceptAsync(Cancel);
        await socket.ReceiveAsync(new byte[4096], Cancel);
        await socket.SendAsync(Encoding.ASCII.GetBytes($"HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\nOK"), Cancel);
    }

    private Socket Listen()
    {
        var listener = Bind();
        listener.Listen();
        return listener;
    }

    private Socket Bind()
    {
        var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(new UnixDomainSocketEndPoint(SocketPath));
        return listener;
    }
}
