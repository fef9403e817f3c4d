using System.Net.Sockets;

namespace IntegrationTests.Containers;

/// <summary>Engines that are not there, not for us, or not well. None of these needs Docker.</summary>
[Trait("Category", "Integration")]
public sealed class EngineLookTests : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("workflow-engine-").FullName;
    private readonly long _start = Stopwatch.GetTimestamp();

    private string SocketPath => Path.Combine(_directory, "docker.sock");

    public void Dispose()
    {
        Assert.InRange(Stopwatch.GetElapsedTime(_start), TimeSpan.Zero, TimeSpan.FromSeconds(30));
        Directory.Delete(_directory, recursive: true);
    }

    [Fact]
    public async Task Socket_that_does_not_exist_is_reported_with_what_starts_an_engine()
    {
        var refusal = await LookAsync();

        Assert.StartsWith($"no Docker Engine: {SocketPath} does not exist", refusal, StringComparison.Ordinal);
        Assert.Contains("DOCKER_HOST", refusal, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Socket_that_nobody_listens_to_is_reported()
    {
        using var deaf = Bind();

        Assert.Contains("cannot be reached: Connection refused", await LookAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Engine_that_does_not_answer_is_given_up_on_after_seconds()
    {
        using var listener = Listen();

        Assert.Contains("did not answer GET /_ping within 5 s", await LookAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_no_engine_is_reported() =>
        Assert.Contains("is no Docker Engine: status 200", await LookAsync(""), StringComparison.Ordinal);

    [Fact]
    public async Task Engine_that_is_too_old_is_reported_with_the_version_that_is_needed() =>
        Assert.Contains("speaks API 1.12; 1.25 or newer is needed", await LookAsync("Api-Version: 1.12\r\n"), StringComparison.Ordinal);

    [Fact]
    public async Task Socket_without_permission_is_reported_with_what_gives_it()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Permissions of sockets are those of Linux.");
        using var listener = Listen();
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(SocketPath, UnixFileMode.None);
        }

        // Root goes everywhere, so that another process looks without that privilege, at a socket that is another user's.
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
            new Dictionary<string, string?> { [ServerForAnotherProcess.LookVariable] = note, ["DOCKER_HOST"] = $"unix://{SocketPath}" },
            Cancel);

        Assert.True(File.Exists(note), looked.Describe());
        var refusal = await File.ReadAllTextAsync(note, Cancel);
        AssertHolds(refusal, "Permission denied", "usermod -aG docker");
    }

    [Theory]
    [InlineData("npipe:////./pipe/docker_engine"), InlineData("ssh://user@host"), InlineData("tcp://host")]
    [InlineData("/var/run/docker.sock")]
    public async Task Address_that_is_not_spoken_is_refused_with_those_that_are(string address)
    {
        var (_, refusal) = await ContainerEngines.FindAsync(Variables(("DOCKER_HOST", address)), Cancel);

        Assert.Contains($"DOCKER_HOST='{address}' is not spoken here: give unix:///path/to/docker.sock or tcp://host:port", refusal,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Encryption_is_refused_with_a_way_around()
    {
        var (_, refusal) = await ContainerEngines.FindAsync(
            Variables(("DOCKER_HOST", "tcp://engine:2376"), ("DOCKER_TLS_VERIFY", "1")), Cancel);

        AssertHolds(refusal, "DOCKER_TLS_VERIFY=1", "ssh -NL");
    }

    [Theory]
    [InlineData(null, null, "127.0.0.1", true)]
    [InlineData("unix:///run/user/1000/docker.sock", null, "127.0.0.1", true)]
    [InlineData("tcp://localhost:2375", null, "127.0.0.1", true)]
    [InlineData("tcp://10.0.0.7:2375", null, "10.0.0.7", false)]
    [InlineData(null, "172.17.0.1", "172.17.0.1", false)]
    public void Ports_are_reached_where_the_engine_is_or_where_the_variable_says(
        string? address, string? host, string expected, bool isLocal)
    {
        var endpoint = DockerEndpoint.FromVariables(Variables(("DOCKER_HOST", address), ("TESTCONTAINERS_HOST_OVERRIDE", host)));

        Assert.Equal((expected, isLocal), (endpoint.PortHost, endpoint.IsLocal));
    }

    private static Func<string, string?> Variables(params (string Name, string? Value)[] set) =>
        name => set.FirstOrDefault(pair => pair.Name == name).Value;

    private async Task<string> LookAsync()
    {
        var (engine, refusal) = await ContainerEngines.FindAsync(Variables(("DOCKER_HOST", $"unix://{SocketPath}")), Cancel);
        Assert.Null(engine);
        return refusal!;
    }

    /// <summary>Looks at something that answers one request with 200 and these headers.</summary>
    private async Task<string> LookAsync(string headers)
    {
        using var listener = Listen();
        var answering = AnswerAsync(listener, headers);
        var refusal = await LookAsync();
        await answering;
        return refusal;
    }

    private static async Task AnswerAsync(Socket listener, string headers)
    {
        using var socket = await listener.AcceptAsync(Cancel);
        await socket.ReceiveAsync(new byte[4096], Cancel);
        await socket.SendAsync(Encoding.ASCII.GetBytes($"HTTP/1.1 200 OK\r\n{headers}Content-Length: 2\r\n\r\nOK"), Cancel);
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
