using LoadTesting.Core.Http;

namespace UnitTests.LoadTesting.Http;

/// <summary>Both ways to wait for responses, against servers that do everything wrong that a server can.</summary>
public sealed class LeanHttpSenderTests
{
    private const string Ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    private static readonly PreparedRequest s_get = PreparedRequest.Get("/a?b=c").KeepingBody();
    private static readonly PreparedRequest s_post = PreparedRequest.Post("/p", "{}"u8.ToArray()).KeepingBody();

    /// <summary>Of a clock that stands still until the test moves it on.</summary>
    private static readonly TimeSpan s_timeout = TimeSpan.FromMilliseconds(400);

    /// <summary>The time after which an immediate effect counts as missing.</summary>
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    public static TheoryData<bool> Ways => [false, true];

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Requests_of_a_worker_share_one_connection(bool isInline)
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
        Assert.Equal(
            (201, "hello", "/x"), (first.Status, Encoding.ASCII.GetString(first.Body.Span), first.Header("Location")));
        var second = await sender.SendAsync(0, request, "{}"u8.ToArray(), Cancel);

        Assert.True(second.IsSuccess && !second.Response.IsError);
        Assert.Equal(("201", 5L), (second.Response.StatusCode, second.BodyBytes));
        Assert.Equal((1, 1L), (server.Connections, sender.Connections));
        var head = $"POST /a HTTP/1.1\r\nHost: 127.0.0.1:{server.Port}\r\nX-Key: 7\r\nContent-Type: "
            + "application/json\r\nContent-Length: ";
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

        var replies = Enumerable.Range(0, 100)
            .Select(worker => sender.SendAsync(worker, s_get, default, Cancel).AsTask()).ToList();
        var error = await Assert.ThrowsAsync<InvalidOperationException>(
            () => sender.SendAsync(7, s_get, default, Cancel).AsTask());
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
        var chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + string.Concat(body.Chunk(
            999).Select(chunk =>
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
    public async Task Bytes_after_a_response_close_the_connection(bool isInline)
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
    public async Task Bytes_on_an_idle_connection_are_not_the_next_response(bool isInline)
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
    public async Task Connection_closed_while_idle_is_reopened_before_a_request(bool isInline)
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
    public async Task Request_lost_on_a_reused_connection_is_resent_if_harmless(bool isInline)
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
        Assert.Equal((HttpFault.ConnectionClosed, "connectionClosed", false),
            (lost.Fault, lost.Response.StatusCode, lost.WasResent));
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
    [InlineData(true, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", HttpFault.MalformedChunk)]
    public async Task Broken_response_is_a_fault_and_closes_its_connection(
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
    public async Task Reset_in_a_body_without_a_length_is_a_failure(bool isInline)
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
    public async Task Silent_server_is_a_timeout(bool isInline)
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
