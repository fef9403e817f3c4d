using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using LoadTesting.Core.Http;
using static UnitTests.LoadTesting.Http.LeanHttpSenderTests;

namespace UnitTests.LoadTesting.Http;

/// <summary>Both ways to wait for responses, against servers that do everything wrong that a server can.</summary>
public sealed class LeanHttpSenderTests
{
    private const string Ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    private static readonly PreparedRequest s_get = PreparedRequest.Get("/a?b=c").KeepingBody();
    private static readonly PreparedRequest s_post = PreparedRequest.Post("/p", "{}"u8.ToArray()).KeepingBody();

    /// <summary>Of a clock that stands still until the test moves it on.</summary>
    private static readonly TimeSpan s_timeout = TimeSpan.FromMilliseconds(400);

    /// <summary>Until what is to happen at once has not happened at all.</summary>
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    public static TheoryData<bool> Ways => [false, true];

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Requests_of_a_worker_go_over_one_connection_as_they_were_prepared(bool isInline)
    {
        var seen = new List<string>();
        await using var server = new ScriptedServer(async (_, connection) =>
        {
            while (await connection.ReadRequestAsync() is { } request)
            {
                seen.Add(request);
                await connection.SendAsync("HTTP/1.1 201 Created\r\nlocation: /x\r\nContent-Length: 5\r\n\r\nhello");
            }
        });
        using var sender = Sender(server, isInline);
        var request = PreparedRequest.Post("/a", "{\"b\":1}"u8.ToArray()).WithHeader("X-Key", "7").KeepingBody();

        var first = await sender.SendAsync(0, request, request.Body, Cancel);
        Assert.Equal((201, "hello", "/x"), (first.Status, Encoding.ASCII.GetString(first.Body.Span), first.Header("Location")));
        var second = await sender.SendAsync(0, request, "{}"u8.ToArray(), Cancel);

        Assert.True(second.IsSuccess && !second.Response.IsError);
        Assert.Equal(("201", 5L), (second.Response.StatusCode, second.BodyBytes));
        Assert.Equal((1, 1L), (server.Connections, sender.Connections));
        var head = $"POST /a HTTP/1.1\r\nHost: 127.0.0.1:{server.Port}\r\nX-Key: 7\r\nContent-Type: application/json\r\nContent-Length: ";
        Assert.Equal([head + "7\r\n\r\n{\"b\":1}", head + "2\r\n\r\n{}"], seen);
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Each_worker_has_a_connection_and_one_request_at_a_time(bool isInline)
    {
        var gate = new TaskCompletionSource();
        await using var server = new ScriptedServer(async (_, connection) =>
        {
            while (await connection.ReadRequestAsync() is not null)
            {
                await gate.Task.WaitAsync(connection.Stop);
                await connection.SendAsync(Ok);
            }
        });
        using var sender = Sender(server, isInline);

        var replies = Enumerable.Range(0, 100).Select(worker => sender.SendAsync(worker, s_get, default, Cancel).AsTask()).ToList();
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => sender.SendAsync(7, s_get, default, Cancel).AsTask());
        gate.SetResult();

        Assert.All(await Task.WhenAll(replies), reply => Assert.True(reply.IsSuccess, reply.Detail));
        Assert.Equal(100, server.Connections);
        Assert.Contains("Worker 7", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Response_is_read_whole_however_the_network_cuts_it(bool isInline)
    {
        var body = string.Concat(Enumerable.Range(0, 5_000).Select(n => (char)('a' + (n % 26))));
        var chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + string.Concat(body.Chunk(999).Select(chunk =>
            $"{chunk.Length:x}\r\n{new string(chunk)}\r\n")) + "0\r\nDigest: x\r\n\r\n";
        var plain = $"HTTP/1.1 200 OK\r\nContent-Length: {body.Length}\r\n\r\n{body}";
        await using var server = new ScriptedServer(async (_, connection) =>
        {
            for (var size = 1; await connection.ReadRequestAsync() is not null; size = (size * 3) + 1)
            {
                foreach (var piece in (size % 2 == 0 ? plain : chunked).Chunk(Math.Max(size, 37)))
                {
                    await connection.SendAsync(new string(piece));
                    await Task.Yield();
                }
            }
        });
        using var sender = Sender(server, isInline);

        for (var round = 0; round < 10; round++)
        {
            var reply = await sender.SendAsync(0, s_get, default, Cancel);
            Assert.Equal((200, body), (reply.Status, Encoding.ASCII.GetString(reply.Body.Span)));
        }

        Assert.Equal(1, server.Connections);
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task What_follows_a_response_closes_the_connection_and_is_no_response_to_the_next_request(bool isInline)
    {
        await using var server = new ScriptedServer(async (number, connection) =>
        {
            while (await connection.ReadRequestAsync() is not null)
            {
                await connection.SendAsync(number == 0 ? Ok + "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nlie" : Ok);
            }
        });
        using var sender = Sender(server, isInline);

        Assert.Equal("ok", Text(await sender.SendAsync(0, s_post, s_post.Body, Cancel)));
        Assert.Equal("ok", Text(await sender.SendAsync(0, s_post, s_post.Body, Cancel)));
        Assert.Equal("ok", Text(await sender.SendAsync(0, s_post, s_post.Body, Cancel)));
        Assert.Equal(2, server.Connections);
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task What_comes_unasked_on_an_idle_connection_is_no_response_to_the_next_request(bool isInline)
    {
        var unasked = new TaskCompletionSource();
        await using var server = new ScriptedServer(async (number, connection) =>
        {
            await connection.ReadRequestAsync();
            await connection.SendAsync(Ok);
            if (number == 0)
            {
                await unasked.Task.WaitAsync(connection.Stop);
                await connection.SendAsync("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n");
            }

            await connection.ReadRequestAsync();
        });
        using var sender = Sender(server, isInline);

        Assert.Equal("ok", Text(await sender.SendAsync(0, s_post, s_post.Body, Cancel)));
        unasked.SetResult();
        await EndedIdleAsync(sender);

        Assert.Equal("ok", Text(await sender.SendAsync(0, s_post, s_post.Body, Cancel)));
        Assert.Equal((2, 0L), (server.Connections, sender.Resent));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Connection_that_the_server_closed_while_idle_is_opened_anew_before_any_request_is_sent(bool isInline)
    {
        await using var server = new ScriptedServer(async (_, connection) =>
        {
            await connection.ReadRequestAsync();
            await connection.SendAsync(Ok);
        });
        using var sender = Sender(server, isInline);
        for (var round = 1; round <= 3; round++)
        {
            var reply = await sender.SendAsync(0, s_post, s_post.Body, Cancel);
            Assert.True(reply.IsSuccess && !reply.WasResent, reply.Detail);
            await EndedIdleAsync(sender);
        }

        Assert.Equal((3, 0L), (server.Connections, sender.Resent));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Request_that_a_reused_connection_lost_is_sent_again_only_where_that_is_harmless(bool isInline)
    {
        var requests = 0;
        await using var server = new ScriptedServer(async (_, connection) =>
        {
            for (var answered = 0; await connection.ReadRequestAsync() is not null; answered++)
            {
                Interlocked.Increment(ref requests);
                if (answered == 1)
                {
                    return;
                }

                await connection.SendAsync(Ok);
            }
        });
        using var sender = Sender(server, isInline);

        var first = await sender.SendAsync(0, s_get, default, Cancel);
        Assert.True(first.IsSuccess, first.Detail);
        var again = await sender.SendAsync(0, s_get, default, Cancel);
        Assert.True(again.IsSuccess && again.WasResent, again.Detail);
        Assert.Equal(2 * first.Response.SentBytes, again.Response.SentBytes);
        Assert.Equal((3, 1L), (requests, sender.Resent));

        var lost = await sender.SendAsync(0, s_post, s_post.Body, Cancel);
        Assert.Equal((HttpFault.ConnectionClosed, "connectionClosed", false), (lost.Fault, lost.Response.StatusCode, lost.WasResent));
        Assert.Contains("POST is not sent again", lost.Detail, StringComparison.Ordinal);
        Assert.Equal((4, 1L), (requests, sender.Resent));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Request_that_a_fresh_connection_lost_is_not_sent_again(bool isInline)
    {
        var requests = 0;
        await using var server = new ScriptedServer(async (_, connection) =>
        {
            await connection.ReadRequestAsync();
            Interlocked.Increment(ref requests);
        });
        using var sender = Sender(server, isInline);

        Assert.Equal(HttpFault.ConnectionClosed, (await sender.SendAsync(0, s_get, default, Cancel)).Fault);
        Assert.Equal(1, requests);
    }

    [Theory]
    [InlineData(false, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok", HttpFault.Truncated)]
    [InlineData(true, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok", HttpFault.Truncated)]
    [InlineData(false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", HttpFault.Truncated)]
    [InlineData(true, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", HttpFault.Truncated)]
    [InlineData(true, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", HttpFault.MalformedChunk)]
    [InlineData(false, "HTTP/1.1 2", HttpFault.Truncated)]
    [InlineData(true, "SSH-2.0-server\r\n\r\n", HttpFault.MalformedHead)]
    [InlineData(true, "HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n", HttpFault.BodyTooLarge)]
    public async Task Broken_response_is_a_fault_by_name_and_the_next_request_has_a_fresh_connection(
        bool isInline, string response, HttpFault fault)
    {
        await using var server = new ScriptedServer(async (number, connection) =>
        {
            await connection.ReadRequestAsync();
            await connection.SendAsync(number == 0 ? response : Ok);
        });
        using var sender = Sender(server, isInline);

        var broken = await sender.SendAsync(0, s_get, default, Cancel);
        Assert.Equal((fault, 0, true, false), (broken.Fault, broken.Status, broken.Response.IsError, broken.IsSuccess));
        Assert.Equal("ok", Text(await sender.SendAsync(0, s_get, default, Cancel)));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Reset_within_a_body_without_a_length_is_no_success(bool isInline)
    {
        await using var server = new ScriptedServer(async (_, connection) =>
        {
            await connection.ReadRequestAsync();
            await connection.SendAsync("HTTP/1.1 200 OK\r\n\r\nhalf of wh");
            await Task.Delay(100, Cancel); // What has not been read by then is read before the reset all the same.
            connection.Reset();
        });
        using var sender = Sender(server, isInline);

        Assert.Equal(HttpFault.Truncated, (await sender.SendAsync(0, s_get, default, Cancel)).Fault);
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Server_that_drips_a_response_ends_in_a_timeout(bool isInline)
    {
        using var letters = new SemaphoreSlim(0);
        await using var server = new ScriptedServer(async (number, connection) =>
        {
            await connection.ReadRequestAsync();
            if (number > 0)
            {
                await connection.SendAsync(Ok);
                return;
            }

            foreach (var letter in "HTTP/1.1 200 OK\r\nX-Slow: " + new string('x', 10_000))
            {
                await connection.SendAsync($"{letter}");
                letters.Release();
                await Task.Delay(10, connection.Stop);
            }
        });
        var time = new ManualTime();
        using var sender = Sender(server, isInline, new() { Timeout = s_timeout, TimeProvider = time });

        var sending = sender.SendAsync(0, s_post, s_post.Body, Cancel).AsTask();
        for (var quarter = 0; quarter < 4; quarter++)
        {
            await letters.WaitAsync(Cancel);
            Assert.False(sending.IsCompleted, $"{quarter} quarters of the timeout were over.");
            time.Advance(s_timeout / 4);
        }

        var reply = await sending.WaitAsync(s_patience, Cancel);
        Assert.Equal((HttpFault.Timeout, "timeout"), (reply.Fault, reply.Response.StatusCode));
        Assert.Contains("no complete response", reply.Detail, StringComparison.Ordinal);
        Assert.Equal("ok", Text(await sender.SendAsync(0, s_post, s_post.Body, Cancel)));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Silent_server_ends_in_a_timeout_and_a_cut_run_in_a_cancellation(bool isInline)
    {
        using var requests = new SemaphoreSlim(0);
        await using var server = new ScriptedServer(async (_, connection) =>
        {
            await connection.ReadRequestAsync();
            requests.Release();
            await connection.ReadRequestAsync();
        });
        var time = new ManualTime();
        using var sender = Sender(server, isInline, new() { Timeout = s_timeout, TimeProvider = time });
        var silent = sender.SendAsync(0, s_get, default, Cancel).AsTask();
        await requests.WaitAsync(Cancel);
        time.Advance(s_timeout);
        Assert.Equal(HttpFault.Timeout, (await silent.WaitAsync(s_patience, Cancel)).Fault);

        using var slow = Sender(server, isInline);
        using var cut = new CancellationTokenSource();
        var waiting = slow.SendAsync(0, s_get, default, cut.Token);
        await cut.CancelAsync();
        Assert.Equal(HttpFault.Cancelled, (await waiting).Fault);
        Assert.Equal(HttpFault.Cancelled, (await slow.SendAsync(0, s_get, default, cut.Token)).Fault);
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Large_bodies_are_sent_and_received_whole(bool isInline)
    {
        var body = new byte[12 << 20];
        new Random(1).NextBytes(body);
        var received = 0L;
        await using var server = new ScriptedServer(async (_, connection) =>
        {
            await connection.SkipAsync(body.Length, count => received = count);
            await connection.SendAsync($"HTTP/1.1 200 OK\r\nContent-Length: {1 << 20}\r\n\r\n{new string('y', 1 << 20)}");
        });
        using var sender = Sender(server, isInline);

        var reply = await sender.SendAsync(0, s_post, body, Cancel);

        Assert.True(reply.IsSuccess, reply.Detail);
        Assert.Equal((1 << 20, (long)body.Length), (reply.Body.Length, received));
    }

    [Fact]
    public async Task Iteration_that_blocks_inline_is_reported()
    {
        await using var server = new ScriptedServer(async (_, connection) =>
        {
            while (await connection.ReadRequestAsync() is not null)
            {
                await Task.Delay(100, Cancel);
                await connection.SendAsync(Ok);
            }
        });
        using var sender = Sender(server, isInline: true);

        // A client that does not wait yet when the answer comes goes on where it is, and blocks there.
        var attempts = 0;
        do
        {
            await BlockInlineAsync(sender);
        }
        while (sender.LongestHold < TimeSpan.FromMilliseconds(250) && ++attempts < 30);

        if (OperatingSystem.IsLinux())
        {
            Assert.InRange(sender.LongestHold!.Value.TotalMilliseconds, 250, 60_000);
        }
    }

    /// <summary>Goes on where the response was seen, and blocks there.</summary>
    private static async Task BlockInlineAsync(HttpSender sender)
    {
        await sender.SendAsync(0, s_get, default, Cancel).ConfigureAwait(false);
        using var never = new ManualResetEventSlim();
        never.Wait(TimeSpan.FromMilliseconds(300), Cancel);
        await sender.SendAsync(0, s_get, default, Cancel).ConfigureAwait(false);
    }

    private static HttpSender Sender(ScriptedServer server, bool isInline, HttpSenderOptions? options = null) =>
        HttpSender.Lean(server.Address, (options ?? new()) with { ContinuesInline = isInline });

    internal static string Text(HttpReply reply)
    {
        Assert.True(reply.IsSuccess, $"{reply.Status} {reply.Fault} {reply.Detail}");
        return Encoding.ASCII.GetString(reply.Body.Span);
    }

    /// <summary>Until the end of the connection, or what came unasked, has been seen.</summary>
    private static Task EndedIdleAsync(HttpSender sender) =>
        Eventually.HoldsAsync(() => ((LeanHttpSender)sender).HasEndedIdle(0), "the idle connection to end");
}

/// <summary>Where both senders connect to, and what either takes for a success.</summary>
public sealed class HttpSenderTests
{
    private const string Ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    private static readonly PreparedRequest s_get = PreparedRequest.Get("/a?b=c").KeepingBody();

    public static TheoryData<bool> Ways => [false, true];

    /// <summary>It ends where its connection ends, and here that is not the server's doing.</summary>
    [Theory]
    [InlineData(false, false), InlineData(false, true), InlineData(true, false), InlineData(true, true)]
    public async Task Response_without_a_length_that_is_cut_is_no_success(bool isInline, bool isCancelled)
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

        Assert.Equal((isCancelled ? HttpFault.Cancelled : HttpFault.Timeout, false, 0), (reply.Fault, reply.IsSuccess, reply.Status));
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
        using var byName = HttpSender.Lean(new Uri($"http://localhost:{four.Port}"), new() { ContinuesInline = isInline });
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
            using var sender = HttpSender.Lean(new Uri($"http://[::1]:{six.Port}"), new() { ContinuesInline = isInline });
            Assert.Equal("ok", Text(await sender.SendAsync(0, s_get, default, Cancel)));
            Assert.Contains($"\r\nHost: [::1]:{six.Port}\r\n", host, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Tls_is_spoken_and_a_certificate_that_nobody_vouches_for_is_refused()
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
            Assert.Equal((code, isSuccess, !isSuccess), (reply.Response.StatusCode, reply.IsSuccess, reply.Response.IsError));
        }
    }

    [Fact]
    public async Task HttpClient_sends_what_was_prepared_and_its_failures_have_the_same_names()
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

    /// <summary>About one in 100 is seen as reset before the first byte is sent: HttpClient throws another exception then.</summary>
    [Theory]
    [InlineData("lean"), InlineData("httpclient")]
    public async Task Connections_that_are_reset_as_soon_as_they_are_made_are_failed_requests(string name)
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
    public async Task Request_over_HttpClient_that_is_under_way_ends_with_the_run_and_with_its_sender(bool isCut)
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

        var reply = await sending.WaitAsync(TimeSpan.FromSeconds(10), Cancel);
        Assert.Equal(
            (HttpFault.Cancelled, isCut ? "the request was cancelled" : "the sender was closed"), (reply.Fault, reply.Detail));
    }

    [Fact]
    public void Limit_that_held_is_used_again_and_one_that_did_not_never()
    {
        var time = new ManualTime();
        using var limits = new TimeLimits(new HttpSenderOptions { Timeout = TimeSpan.FromSeconds(1), TimeProvider = time });
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

    /// <summary>Both count what the server saw and sent, to the byte: heads of 1xx, sizes of chunks and trailers too.</summary>
    [Theory]
    [InlineData("lean", 200)]
    [InlineData("httpclient", 200)]
    [InlineData("lean", 503)]
    [InlineData("httpclient", 503)]
    public async Task Sizes_of_a_response_are_those_of_the_two_messages_on_the_connection(string sender, int status)
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
            [(s_get, []), (post, post.Body.ToArray()), (post, "{}"u8.ToArray()), (post, "{}"u8.ToArray()), (post, []), (s_get, [])];

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
                var (sent, head) = (reply.Body.Length, $"HTTP/1.1 200 OK\r\nContent-Length: {reply.Body.Length}\r\n\r\n".Length);
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
            new DateTimeOffset(2020, 1, 1, 0, 0, 0, TimeSpan.Zero), new DateTimeOffset(2120, 1, 1, 0, 0, 0, TimeSpan.Zero));
        return X509CertificateLoader.LoadPkcs12(own.Export(X509ContentType.Pfx), null);
    }
}
