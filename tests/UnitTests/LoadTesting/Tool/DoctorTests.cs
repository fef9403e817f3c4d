using System.Net.Sockets;
using LoadTesting.Tool.Doctor;

namespace UnitTests.LoadTesting.Tool;

public sealed class DoctorTests
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(20);

    [Theory]
    [InlineData("10.0.401\n", "Ok")]
    [InlineData("11.0.100-preview.1", "Ok")]
    [InlineData("8.0.100", "Failure")]
    [InlineData("", "Failure")]
    [InlineData(null, "Failure")]
    public void Sdk_is_ten_or_newer(string? version, string state) => AssertState(state, MachineRules.Sdk(version));

    [Theory]
    [InlineData(8, null, "Ok")]
    [InlineData(8, 3.5, "Warning")]
    [InlineData(2, null, "Warning")]
    [InlineData(8, 1.5, "Failure")]
    [InlineData(1, null, "Failure")]
    public void Cores_are_those_that_the_control_group_leaves(int cores, double? limit, string state) =>
        AssertState(state, MachineRules.Cores(cores, limit));

    [Theory]
    [InlineData("1024                 65536                files", "Ok")]
    [InlineData("1024                 unlimited            files", "Ok")]
    [InlineData("1024                 2048                 files", "Warning")]
    [InlineData("256                  512                  files", "Failure")]
    [InlineData("256                  what                 files", "Warning")]
    public void Open_files_are_judged_by_the_hard_limit(string limits, string state) =>
        AssertState(state,
            MachineRules.OpenFiles($"Limit                     Soft Limit           Hard Limit           Units\n" +
            $"Max open files            {limits}\n"));

    [Theory]
    [InlineData("tsc", 30, "Ok")]
    [InlineData(null, 30, "Ok")]
    [InlineData("acpi_pm", 30, "Warning")]
    [InlineData("tsc", 1500, "Warning")]
    public void Clock_is_judged_by_its_source_and_its_cost(string? source, double readNs, string state) =>
        AssertState(state, MachineRules.Clock(source, readNs));

    [Theory]
    [InlineData(8L << 30, "Ok")]
    [InlineData(2L << 30, "Warning")]
    [InlineData(1L << 20, "Failure")]
    public void Disk_needs_room_for_a_server(long freeBytes, string state) =>
        AssertState(state, MachineRules.Disk("/data", freeBytes));

    [Theory]
    [InlineData("ext4", "Ok")]
    [InlineData("overlay", "Ok")]
    [InlineData("tmpfs", "Warning")]
    public void Data_of_servers_belong_on_a_disk(string type, string state) =>
        AssertState(state, MachineRules.ServerData("/var/tmp", type));

    [Fact]
    public void Programs_count_only_where_all_of_them_are()
    {
        using var places = new TemporaryPlaces();
        var partial = places.With("partial", "initdb", "postgres");
        var whole = places.With("whole", "initdb", "postgres", "pg_ctl");

        Assert.Equal(whole, PostgresPrograms.Find([partial, whole]));
        Assert.Null(PostgresPrograms.Find([partial]));
        AssertState("Ok", PostgresPrograms.Judge(whole));
        AssertState("Warning", PostgresPrograms.Judge(null));
    }

    [Theory]
    [InlineData((byte)'N', "Ok")]
    [InlineData((byte)'S', "Ok")]
    [InlineData((byte)'H', "Failure")]
    public async Task Server_is_known_by_its_answer_to_the_encryption_request(byte answer, string state)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var serving = AnswerAsync(listener, answer);

        var port = ((IPEndPoint)listener.LocalEndpoint).Port;
        var line = await PostgresServer.LookAsync($"Host=127.0.0.1;Port={port};Password=hunter2", Timeout, Cancel);

        AssertState(state, line);
        Assert.Equal([0, 0, 0, 8, 4, 210, 22, 47], await serving);
        Assert.DoesNotContain("hunter2", line.ToString());
    }

    [Fact]
    public async Task Unreachable_server_is_a_failure_without_its_password()
    {
        int port;
        using (var listener = new TcpListener(IPAddress.Loopback, 0))
        {
            listener.Start();
            port = ((IPEndPoint)listener.LocalEndpoint).Port;
        }

        var line = await PostgresServer.LookAsync($"Host=127.0.0.1;Port={port};Password=hunter2", Timeout, Cancel);

        AssertState("Failure", line);
        Assert.Contains($"127.0.0.1, port {port}", line.Found);
        Assert.DoesNotContain("hunter2", line.ToString());
    }

    [Theory]
    [InlineData("hunter2"), InlineData("Password=hunter2"), InlineData("Host=x;Port=hunter2")]
    public async Task Malformed_connection_string_is_a_failure_and_is_not_repeated(string connectionString)
    {
        var line = await PostgresServer.LookAsync(connectionString, Timeout, Cancel);

        AssertState("Failure", line);
        Assert.DoesNotContain("hunter2", line.ToString());
    }

    [Fact]
    public async Task Missing_server_variable_is_fine() =>
        AssertState("Ok", await PostgresServer.LookAsync(" ", Timeout, Cancel));

    [Fact]
    public async Task Docker_is_asked_over_its_socket()
    {
        using var places = new TemporaryPlaces();
        var path = Path.Combine(places.Root, "d.sock");
        using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(new UnixDomainSocketEndPoint(path));
        listener.Listen();
        var serving = PongAsync(listener);

        AssertState("Ok", await DockerEngine.LookAsync(Only("DOCKER_HOST", "unix://" + path), Timeout, Cancel));
        Assert.StartsWith("GET /_ping ", await serving);
    }

    [Fact]
    public async Task Docker_is_reached_over_tcp_if_its_variable_says_so()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        var serving = PongAsync(listener);

        var line =
            await DockerEngine.LookAsync(Only("DOCKER_HOST", $"tcp://{listener.LocalEndPoint}"), Timeout, Cancel);

        AssertState("Ok", line);
        Assert.Equal($"answers at tcp://{listener.LocalEndPoint}", line.Found);
        Assert.StartsWith("GET /_ping ", await serving);
    }

    [Theory]
    [InlineData("unix:///nowhere/docker.sock", "does not exist")]
    [InlineData("tcp://127.0.0.1", "not supported")]
    [InlineData("ssh://10.0.0.1", "not supported")]
    [InlineData("tcp://127.0.0.1:1", "tcp://127.0.0.1:1: Connection refused")]
    [InlineData("tcp://127.0.0.1:2376", "DOCKER_TLS_VERIFY asks for TLS", "1")]
    public async Task Docker_that_cannot_be_asked_is_a_warning_that_says_why(
        string host, string why, string? tls = null)
    {
        var line = await DockerEngine.LookAsync(
            name => name == "DOCKER_HOST" ? host : name == "DOCKER_TLS_VERIFY" ? tls : null, Timeout, Cancel);

        AssertState("Warning", line);
        Assert.Contains(why, line.Found);
    }

    [Fact]
    public async Task Examination_covers_every_subject_and_gives_each_fix()
    {
        var lines = await Examination.RunAsync(
            name => name == "PATH" ? Environment.GetEnvironmentVariable(name) : null, Cancel);

        Assert.Equal(
            ["Clock", "Cores", "Disk", "Docker", "Open files", "PostgreSQL programs", "PostgreSQL server", "SDK",
                "Server data"],
            lines.Select(line => line.Check).Distinct().Order(StringComparer.Ordinal));
        Assert.All(lines, line => Assert.Equal(line.State == DoctorState.Ok, line.Fix is null));
        AssertState("Ok", lines.Single(line => line.Check == "SDK"));
    }

    [Theory]
    [InlineData("Ok", 0, "Fit to measure.")]
    [InlineData("Warning", 0, "Fit to measure, with 1 warning.")]
    [InlineData("Failure", 1, "Not fit to measure: 1 failed, 0 warnings.")]
    public void Exit_code_is_that_of_the_worst_finding(string state, int code, string verdict)
    {
        using var output = new StringWriter();
        var line =
            new DoctorLine("Disk", Enum.Parse<DoctorState>(state), "little", state == "Ok" ? null : "Free some.");

        Assert.Equal(code, DoctorCommand.Write(new ToolConsole(output, TextWriter.Null, IsStyled: false), [line]));
        Assert.EndsWith(verdict + Environment.NewLine, output.ToString());
        Assert.Equal(state != "Ok", output.ToString().Contains("-> Free some.", StringComparison.Ordinal));
    }

    [Fact]
    public void Absent_profile_has_the_command_that_enables_it()
    {
        var lines = Profiles.Judge([new("memory", true, "embedded", null), new(
            "postgres", false, "no server", "apt-get install -y postgresql"), new("mongo", false, "no adapter", null)]);

        Assert.Equal(["Profile memory", "Profile postgres", "Profile mongo"], lines.Select(line => line.Check));
        Assert.Equal(["Ok", "Warning", "Warning"], lines.Select(line => line.State.ToString()));
        Assert.Equal([null, "apt-get install -y postgresql", "Nothing does yet."], lines.Select(line => line.Fix));
    }

    [Fact]
    public async Task Suite_that_does_not_answer_is_a_failure_with_what_it_said()
    {
        using var places = new TemporaryPlaces();
        var suite = Path.Combine(places.With("suite"), "no-suite.dll");
        await File.WriteAllTextAsync(suite, "no assembly", Cancel);

        var line = Assert.Single(await Profiles.LookAsync(suite, Timeout, Cancel));

        AssertState("Failure", line);
        Assert.Contains("and no answer: ", line.Found, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Suite_that_is_named_and_not_there_is_bad_input() =>
        await Assert.ThrowsAsync<FileNotFoundException>(
            () => Profiles.LookAsync("/nowhere/suite.dll", Timeout, Cancel));

    [Fact]
    public void Suite_of_a_checkout_is_the_newest_that_was_built()
    {
        using var places = new TemporaryPlaces();
        var bin = Path.Combine(places.Root, "tests", "PerformanceTests", "bin");
        var (old, recent) =
            (Path.Combine(bin, "Debug", "PerformanceTests.dll"), Path.Combine(bin, "Release", "PerformanceTests.dll"));
        foreach (var (path, day) in ((string, int)[])[(old, 1), (recent, 2)])
        {
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            File.WriteAllText(path, "");
            File.SetLastWriteTimeUtc(path, new DateTime(2026, 1, day, 0, 0, 0, DateTimeKind.Utc));
        }

        Assert.Equal(recent, Profiles.FindSuite(places.Root));
        Assert.Null(Profiles.FindSuite(bin));
    }

    private static void AssertState(string expected, DoctorLine line)
    {
        Assert.Equal(expected, line.State.ToString());
        Assert.Equal(line.State == DoctorState.Ok, line.Fix is null);
    }

    private static async Task<byte[]> AnswerAsync(TcpListener listener, byte answer)
    {
        using var client = await listener.AcceptTcpClientAsync(Cancel);
        var request = new byte[8];
        await client.GetStream().ReadExactlyAsync(request, Cancel);
        await client.GetStream().WriteAsync(new[] { answer }, Cancel);
        return request;
    }

    private static Func<string, string?> Only(string variable, string value) => name => name == variable ? value : null;

    private static async Task<string> PongAsync(Socket listener)
    {
        using var client = await listener.AcceptAsync(Cancel);
        var request = new byte[4096];
        var received = await client.ReceiveAsync(request, Cancel);
        await client.SendAsync(
            Encoding.ASCII.GetBytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nOK"), Cancel);
        return Encoding.ASCII.GetString(request, 0, received);
    }

    private sealed class TemporaryPlaces : IDisposable
    {
        private readonly DirectoryInfo _root = Directory.CreateTempSubdirectory("wf-");

        public string Root => _root.FullName;

        public string With(string name, params string[] programs)
        {
            var directory = _root.CreateSubdirectory(name);
            foreach (var program in programs)
            {
                File.WriteAllText(
                    Path.Combine(directory.FullName, OperatingSystem.IsWindows() ? program + ".exe" : program), "");
            }

            return directory.FullName;
        }

        public void Dispose() => _root.Delete(recursive: true);
    }
}
