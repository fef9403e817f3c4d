using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using LoadTesting.Core.Http;
using static UnitTests.LoadTesting.Http.LeanHttpSenderTests;

namespace UnitTests.LoadTesting.Http;

/// <summary>Where both senders connect to, and what either takes for a success.</summary>
public sealed class HttpSenderTests
{
    private const string Ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    private static readonly PreparedRequest s_get = PreparedRequest.Get("/a?b=c").KeepingBody();

    public static TheoryData<bool> Ways => [false, true];

    /// <summary>It ends where its connection ends, and here that is not the server's doing.</summary>
    [Theory]
    [InlineData(false, false), InlineData(false, true), InlineData(true, false), InlineData(true, true)]
    public async Task Truncated_response_without_a_length_is_a_failure(bool isInline, bool isCancelled)
    {
        var sent = new TaskCompletionSource();
        await using var server = new ScriptedServer(async (_, connection) =>
        {
            await connection.ReadRequestAsync();
            await connection.SendAsync("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\npartial");
            sent.SetResult();
            await connection.ReadRequestAsync();
        });
        var (time, timeout) = (new ManualTime(), TimeSpan.FromMilliseconds(400));
        using var sender = HttpSender.Lean(
            server.Address, new() { ContinuesInline = isInline, Timeout = timeout, TimeProvider = time });
        using var cut = new CancellationTokenSource();

        var sending = sender.SendAsync(0, s_get, default, cut.Token).AsTask();
        await sent.Task.WaitAsync(TimeSpan.FromSeconds(30), Cancel);
        if (isCancelled)
        {
            await cut.CancelAsync();
        }

        time.Advance(timeout);
        var reply = await sending.WaitAsync(TimeSpan.FromSeconds(30), Cancel);

        Assert.Equal((isCancelled ? HttpFault.Cancelled : HttpFault.Timeout, false, 0),
            (reply.Fault, reply.IsSuccess, reply.Status));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Refused_connections_and_unknown_names_are_faults_by_name(bool isInline)
    {
        Uri nobody;
        await using (var server = ScriptedServer.Answering(Ok))
        {
            nobody = server.Address;
        }

        using var refused = HttpSender.Lean(nobody, new() { ContinuesInline = isInline });
        var reply = await refused.SendAsync(0, s_get, default, Cancel);
        Assert.Equal((HttpFault.ConnectFailed, "connectFailed"), (reply.Fault, reply.Response.StatusCode));
        Assert.Contains($"127.0.0.1:{nobody.Port}", reply.Detail, StringComparison.Ordinal);

        using var unknown = HttpSender.Lean(new Uri("http://nobody.invalid"), new() { ContinuesInline = isInline });
        Assert.Equal(HttpFault.ConnectFailed, (await unknown.SendAsync(0, s_get, default, Cancel)).Fault);
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Names_and_both_kinds_of_addresses_are_connected_to(bool isInline)
    {
        await using var four = ScriptedServer.Answering(Ok);
        using var byName =
            HttpSender.Lean(new Uri($"http://localhost:{four.Port}"), new() { ContinuesInline = isInline });
        Assert.Equal("ok", Text(await byName.SendAsync(0, s_get, default, Cancel)));

        if (System.Net.Sockets.Socket.OSSupportsIPv6)
        {
            var host = "";
            await using var six = new ScriptedServer(
                async (_, connection) =>
                {
                    host = await connection.ReadRequestAsync();
                    await connection.SendAsync(Ok);
                },
                IPAddress.IPv6Loopback);
            using var sender =
                HttpSender.Lean(new Uri($"http://[::1]:{six.Port}"), new() { ContinuesInline = isInline });
            Assert.Equal("ok", Text(await sender.SendAsync(0, s_get, default, Cancel)));
            Assert.Contains($"\r\nHost: [::1]:{six.Port}\r\n", host, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Untrusted_certificate_is_refused()
    {
        using var certificate = Certificate();
        await using var server = new TlsServer(certificate, Ok);
        using var trusting = HttpSender.Lean(server.Address, new() { CertificateValidation = (_, _, _, _) => true });
        for (var round = 0; round < 3; round++)
        {
            Assert.Equal("ok", Text(await trusting.SendAsync(0, s_get, default, Cancel)));
        }

        Assert.Equal(1L, trusting.Connections);
        using var strict = HttpSender.Lean(server.Address);
        Assert.Equal(HttpFault.TlsFailed, (await strict.SendAsync(0, s_get, default, Cancel)).Fault);
    }

    [Theory]
    [InlineData("HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n", "302", false)]
    [InlineData("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "404", false)]
    [InlineData("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", "503", false)]
    [InlineData("HTTP/1.1 304 Not Modified\r\n\r\n", "304", true)]
    public async Task Only_success_is_a_success_for_either_sender(string response, string code, bool isSuccess)
    {
        await using var server = ScriptedServer.Answering(response);
        using var lean = HttpSender.Lean(server.Address);
        using var client = HttpSender.OverHttpClient(server.Address);
        foreach (var sender in new[] { lean, client })
        {
            var reply = await sender.SendAsync(0, s_get, default, Cancel);
            Assert.Equal(
                (code, isSuccess, !isSuccess), (reply.Response.StatusCode, reply.IsSuccess, reply.Response.IsError));
        }
    }

    [Fact]
    public async Task HttpClient_failures_have_the_same_names()
    {
        var seen = "";
        await using var server = new ScriptedServer(async (_, connection) =>
        {
            seen = await connection.ReadRequestAsync();
            await connection.SendAsync("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
            await connection.ReadRequestAsync();
            await connection.SendAsync("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
        });
        using var sender = HttpSender.OverHttpClient(server.Address);
        var request = PreparedRequest.Post("/a?b", "{}"u8.ToArray()).WithHeader("X-Key", "7").KeepingBody();

        Assert.Equal("hello", Text(await sender.SendAsync(0, request, request.Body, Cancel)));
        Assert.Equal(HttpFault.Truncated, (await sender.SendAsync(0, request, request.Body, Cancel)).Fault);
        Assert.StartsWith("POST /a?b HTTP/1.1\r\n", seen, StringComparison.Ordinal);
        Assert.Contains("\r\nX-Key: 7\r\n", seen, StringComparison.Ordinal);
        Assert.EndsWith("\r\n\r\n{}", seen, StringComparison.Ordinal);
    }

    /// <summary>About one in 100 is reset before the first byte, where HttpClient throws another exception.</summary>
    [Theory]
    [InlineData("lean"), InlineData("httpclient")]
    public async Task Connections_reset_at_once_are_failed_requests(string name)
    {
        await using var server = new ScriptedServer((_, connection) =>
        {
            connection.Reset();
            return Task.CompletedTask;
        });
        using var sender = SenderOf(name, server.Address);

        for (var i = 0; i < 1_000; i++)
        {
            Assert.True((await sender.SendAsync(0, s_get, default, Cancel)).Response.IsError);
        }
    }

    [Fact]
    public async Task Body_that_drips_ends_in_a_timeout_over_HttpClient_too()
    {
        using var letters = new SemaphoreSlim(0);
        await using var server = new ScriptedServer(async (_, connection) =>
        {
            await connection.ReadRequestAsync();
            await connection.SendAsync("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n");
            while (true)
            {
                await connection.SendAsync("x");
                letters.Release();
                await Task.Delay(10, connection.Stop);
            }
        });
        var time = new ManualTime();
        using var sender = HttpSender.OverHttpClient(server.Address, new() { TimeProvider = time });

        var sending = sender.SendAsync(0, s_get, default, Cancel).AsTask();
        await letters.WaitAsync(Cancel);
        Assert.False(sending.IsCompleted);
        time.Advance(new HttpSenderOptions().Timeout);

        var reply = await sending.WaitAsync(TimeSpan.FromSeconds(30), Cancel);
        Assert.Equal((HttpFault.Timeout, "timeout"), (reply.Fault, reply.Response.StatusCode));
    }

    [Theory]
    [InlineData(true), InlineData(false)]
    public async Task HttpClient_request_in_flight_ends_with_the_run(bool isCut)
    {
        using var arrived = new SemaphoreSlim(0);
        await using var server = new ScriptedServer(async (_, connection) =>
        {
            await connection.ReadRequestAsync();
            arrived.Release();
            await Task.Delay(Timeout.Infinite, connection.Stop);
        });
        using var run = new CancellationTokenSource();
        using var sender = HttpSender.OverHttpClient(server.Address);
        var sending = sender.SendAsync(0, s_get, default, run.Token).AsTask();
        await arrived.WaitAsync(Cancel);

        if (isCut)
        {
            await run.CancelAsync();
        }
        else
        {
            sender.Dispose();
        }

        var reply = await sending.WaitAsync(TimeSpan.FromSeconds(60), Cancel);
        Assert.Equal(
            (HttpFault.Cancelled, isCut ? "the request was cancelled" : "the sender was closed"),
            (reply.Fault, reply.Detail));
    }

    [Fact]
    public void Limit_that_held_is_used_again_and_one_that_did_not_never()
    {
        var time = new ManualTime();
        using var limits =
            new TimeLimits(new HttpSenderOptions { Timeout = TimeSpan.FromSeconds(1), TimeProvider = time });
        var first = limits.Begin(Cancel);
        time.Advance(TimeSpan.FromSeconds(0.9));
        first.Dispose();
        var second = limits.Begin(Cancel);
        Assert.Same(first, second);
        time.Advance(TimeSpan.FromSeconds(0.9));
        Assert.False(second.Token.IsCancellationRequested);

        time.Advance(TimeSpan.FromSeconds(0.15));
        Assert.True(second.Token.IsCancellationRequested);
        second.Dispose();
        using var third = limits.Begin(Cancel);
        Assert.NotSame(second, third);
        Assert.False(third.Token.IsCancellationRequested);
    }

    /// <summary>Both count what the server received and sent: 1xx heads, chunk sizes and trailers included.</summary>
    [Theory]
    [InlineData("lean", 200)]
    [InlineData("httpclient", 200)]
    [InlineData("lean", 503)]
    [InlineData("httpclient", 503)]
    public async Task Sizes_are_those_of_the_messages_on_the_connection(string sender, int status)
    {
        string[] answers =
        [
            $"HTTP/1.1 {status} Any\r\nContent-Length: 2\r\n\r\nok",
            $"HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 {status} Any\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "2;x=y\r\nok\r\n0\r\nDigest: z\r\n\r\n",
            $"HTTP/1.1 {status} Any\r\nContent-Length: 0\r\n\r\n",
        ];
        var seen = new List<string>();
        await using var server = new ScriptedServer(async (_, connection) =>
        {
            while (await connection.ReadRequestAsync() is { } request)
            {
                seen.Add(request);
                await connection.SendAsync(answers[seen.Count % 3]);
            }
        });
        using var http = SenderOf(sender, server.Address);
        var post = PreparedRequest.Post("/a", "{\"b\":1}"u8.ToArray()).WithHeader("X-Key", "7");
        (PreparedRequest Request, byte[] Body)[] all =
            [(s_get, []), (post, post.Body.ToArray()), (post, "{}"u8.ToArray()), (post, "{}"u8.ToArray()), (post, []),
                (s_get, [])];

        foreach (var (request, body) in all)
        {
            var response = (await http.SendAsync(0, request, body, Cancel)).Response;

            Assert.Equal(
                ($"{status}", answers[seen.Count % 3].Length, seen[^1].Length),
                (response.StatusCode, response.SizeBytes, response.SentBytes));
        }

        Assert.Equal($"GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:{server.Port}\r\n\r\n", seen[^1]);
    }

    [Theory]
    [InlineData("lean")]
    [InlineData("httpclient")]
    public async Task Sizes_of_requests_at_the_same_time_are_each_its_own(string sender)
    {
        await using var server = new ScriptedServer(async (_, connection) =>
        {
            while (await connection.ReadRequestAsync() is { } request)
            {
                // As long as the request itself, so that a byte that went to another one shows on both sides.
                await connection.SendAsync($"HTTP/1.1 200 OK\r\nContent-Length: {request.Length}\r\n\r\n{request}");
            }
        });
        using var http = SenderOf(sender, server.Address);
        var post = PreparedRequest.Post("/", default).KeepingBody();

        await Task.WhenAll(Enumerable.Range(0, 16).Select(async worker =>
        {
            for (var round = 0; round < 20; round++)
            {
                var reply = await http.SendAsync(worker, post, new byte[100 * worker], Cancel);
                var (sent, head) =
                    (reply.Body.Length, $"HTTP/1.1 200 OK\r\nContent-Length: {reply.Body.Length}\r\n\r\n".Length);
                Assert.InRange(sent, 100 * worker, (100 * worker) + 200);
                Assert.Equal((sent, head + sent), (reply.Response.SentBytes, reply.Response.SizeBytes));
            }
        }));
    }

    [Theory]
    [InlineData("lean")]
    [InlineData("httpclient")]
    public async Task Sizes_over_tls_are_those_of_the_messages_before_encryption(string sender)
    {
        using var certificate = Certificate();
        await using var server = new TlsServer(certificate, Ok);
        using var http = SenderOf(sender, server.Address, new() { CertificateValidation = (_, _, _, _) => true });

        for (var round = 0; round < 3; round++)
        {
            var response = (await http.SendAsync(0, s_get, default, Cancel)).Response;

            Assert.Equal(
                ($"GET /a?b=c HTTP/1.1\r\nHost: {server.Address.Authority}\r\n\r\n".Length, Ok.Length),
                (response.SentBytes, response.SizeBytes));
        }
    }

    private static HttpSender SenderOf(string name, Uri address, HttpSenderOptions? options = null) =>
        name == "lean" ? HttpSender.Lean(address, options) : HttpSender.OverHttpClient(address, options);

    private static X509Certificate2 Certificate()
    {
        using var key = RSA.Create(2048);
        var request = new CertificateRequest("CN=127.0.0.1", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        using var own = request.CreateSelfSigned(
            new DateTimeOffset(2020, 1, 1, 0, 0, 0, TimeSpan.Zero),
            new DateTimeOffset(2120, 1, 1, 0, 0, 0, TimeSpan.Zero));
        return X509CertificateLoader.LoadPkcs12(own.Export(X509ContentType.Pfx), null);
    }
}
