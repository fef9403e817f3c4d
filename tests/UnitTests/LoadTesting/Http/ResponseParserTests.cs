using LoadTesting.Core.Http;

namespace UnitTests.LoadTesting.Http;

public sealed class ResponseParserTests
{
    private static readonly HttpSenderOptions s_small = new() { MaxHeadBytes = 256, MaxBodyBytes = 64 };

    public static TheoryData<string, int, string, bool> Good => new()
    {
        { "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", true },
        { "HTTP/1.1 200\r\ncontent-LENGTH:5\r\n\r\nhello", 200, "hello", true },
        { "HTTP/1.1 200 OK\r\nContent-Length:  5 \r\nContent-Length: 5\r\nX:\r\n\r\nhello", 200, "hello", true },
        { "HTTP/1.1 503 Busy: try later\r\nContent-Length: 0\r\n\r\n", 503, "", true },
        { "HTTP/1.1 204 No Content\r\n\r\n", 204, "", true },
        { "HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n", 204, "", true },
        { "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\nETag: \"a\"\r\n\r\n", 304, "", true },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 200, "hello", true },
        {
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;a=b\r\nh\r\n00004 ; "
                + "c\r\nello\r\n000\r\nA: b\r\nC: d\r\n\r\n",
            200, "hello", true
        },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 200, "", true },
        {
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n",
            200, "01234567890123456789", true
        },
        {
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 200 "
                + "OK\r\nContent-Length: 2\r\n\r\nok",
            200, "ok", true
        },
        { "HTTP/1.1 200 OK\r\nConnection: upgrade, Close\r\nContent-Length: 2\r\n\r\nok", 200, "ok", false },
        { "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", false },
        { "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nok", 200, "ok", true },
    };

    public static TheoryData<string, HttpFault> Bad => new()
    {
        { "HTTP/2 200 OK\r\n\r\n", HttpFault.MalformedHead },
        { "HTTP/1.2 200 OK\r\n\r\n", HttpFault.MalformedHead },
        { "http/1.1 200 OK\r\n\r\n", HttpFault.MalformedHead },
        { "HTTP/1.1 20 OK\r\n\r\n", HttpFault.MalformedHead },
        { "HTTP/1.1 2000 OK\r\n\r\n", HttpFault.MalformedHead },
        { "HTTP/1.1 099 OK\r\n\r\n", HttpFault.MalformedHead },
        { "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", HttpFault.MalformedHead },
        { "HTTP/1.1 200 OK\r\nContent-Length: 2\nX: y\r\n\r\nok", HttpFault.MalformedHead },
        { "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok", HttpFault.MalformedHead },
        { "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n folded: 1\r\n\r\nok", HttpFault.MalformedHead },
        { "HTTP/1.1 200 OK\r\nno colon\r\n\r\nok", HttpFault.MalformedHead },
        { "HTTP/1.1 200 OK\r\n: nothing\r\n\r\nok", HttpFault.MalformedHead },
        { "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\nok", HttpFault.MalformedHead },
        { "\r\n\r\n", HttpFault.MalformedHead },
        { "HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\n\r\n", HttpFault.Unsupported },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", HttpFault.Unsupported },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            HttpFault.Unsupported },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", HttpFault.Unsupported },
        { "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok", HttpFault.InvalidLength },
        { "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok", HttpFault.InvalidLength },
        { "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok", HttpFault.InvalidLength },
        { "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok", HttpFault.InvalidLength },
        { "HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\nok", HttpFault.InvalidLength },
        { "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nok", HttpFault.InvalidLength },
        { "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nok", HttpFault.InvalidLength },
        { "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            HttpFault.InvalidLength },
        { "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", HttpFault.InvalidLength },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\nok", HttpFault.MalformedChunk },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nok", HttpFault.MalformedChunk },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2 2\r\nok\r\n0\r\n\r\n", HttpFault.MalformedChunk },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nok\r\n0\r\n\r\n", HttpFault.MalformedChunk },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\n0\r\n\r\n", HttpFault.MalformedChunk },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nok", HttpFault.MalformedChunk },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nno trailer\r\n\r\n", HttpFault.MalformedChunk },
        { "HTTP/1.1 200 OK\r\nContent-Length: 65\r\n\r\nok", HttpFault.BodyTooLarge },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n41\r\nok", HttpFault.BodyTooLarge },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7ffffffffffffff\r\nok", HttpFault.BodyTooLarge },
        { $"HTTP/1.1 200 OK\r\nX: {new string('x', 256)}\r\n\r\nok", HttpFault.HeadTooLarge },
        { $"HTTP/1.1 200 OK\r\nX: {new string('x', 300)}", HttpFault.HeadTooLarge },
        { string.Concat(Enumerable.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 20)), HttpFault.HeadTooLarge },
        { $"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: {new string('x', 300)}\r\n\r\n",
            HttpFault.HeadTooLarge },
    };

    [Theory]
    [MemberData(nameof(Good))]
    public void A_response_is_read_however_it_is_cut(string text, int status, string body, bool keeps)
    {
        foreach (var pieces in Cuts(Encoding.ASCII.GetBytes(text)))
        {
            var parser = new ResponseParser(s_small);
            parser.Begin(isHead: false, isKept: true);
            foreach (var piece in pieces)
            {
                Assert.False(parser.IsOver);
                Assert.Equal(piece.Length, parser.Feed(piece));
            }

            Assert.True(parser.IsComplete, parser.Detail);
            Assert.Equal((status, body, keeps),
                (parser.Status, Encoding.ASCII.GetString(parser.Body.Span), parser.KeepsConnection));
            Assert.Equal(body.Length, parser.BodyBytes);
        }
    }

    [Theory]
    [MemberData(nameof(Good))]
    public void A_response_that_ends_early_is_never_complete(string text, int status, string body, bool keeps)
    {
        _ = (status, body, keeps);
        var bytes = Encoding.ASCII.GetBytes(text);
        for (var length = 0; length < bytes.Length; length++)
        {
            var parser = new ResponseParser(s_small);
            parser.Begin(isHead: false, isKept: false);
            parser.Feed(bytes.AsSpan(0, length));
            Assert.False(parser.IsComplete);
            parser.End();
            Assert.False(parser.IsComplete);
            Assert.Equal(length == 0 ? HttpFault.ConnectionClosed : HttpFault.Truncated, parser.Fault);
        }
    }

    [Theory]
    [MemberData(nameof(Bad))]
    public void A_response_that_lies_is_a_fault_by_name_however_it_is_cut(string text, HttpFault fault)
    {
        foreach (var pieces in Cuts(Encoding.Latin1.GetBytes(text)))
        {
            var parser = new ResponseParser(s_small);
            parser.Begin(isHead: false, isKept: true);
            foreach (var piece in pieces)
            {
                parser.Feed(piece);
            }

            Assert.Equal(fault, parser.Fault);
            Assert.False(parser.IsComplete);
            Assert.False(parser.KeepsConnection);
            Assert.NotEmpty(parser.Detail);
        }
    }

    [Fact]
    public void What_follows_a_response_is_left()
    {
        var parser = new ResponseParser(s_small);
        parser.Begin(isHead: false, isKept: false);
        var bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n"u8;

        Assert.Equal(bytes.Length - 17, parser.Feed(bytes));
        Assert.True(parser.IsComplete);
    }

    [Fact]
    public void The_response_to_HEAD_has_no_body_whatever_it_announces()
    {
        var parser = new ResponseParser(s_small);
        parser.Begin(isHead: true, isKept: false);

        parser.Feed("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"u8);

        Assert.True(parser.IsComplete);
        Assert.True(parser.KeepsConnection);
    }

    [Fact]
    public void Body_without_a_length_ends_with_an_orderly_close()
    {
        var parser = new ResponseParser(s_small);
        parser.Begin(isHead: false, isKept: true);
        parser.Feed("HTTP/1.1 200 OK\r\n\r\nok"u8);
        Assert.False(parser.IsOver);
        parser.End();
        Assert.True(parser.IsComplete);
        Assert.False(parser.KeepsConnection);

        parser.Begin(isHead: false, isKept: true);
        parser.Feed("HTTP/1.1 200 OK\r\n\r\nok"u8);
        parser.Break("reset by peer");
        Assert.Equal(HttpFault.Truncated, parser.Fault);
    }

    [Fact]
    public void Parser_keeps_nothing_of_the_last_response()
    {
        var parser = new ResponseParser(s_small);
        parser.Begin(isHead: false, isKept: true);
        parser.Feed("HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"u8);

        parser.Begin(isHead: false, isKept: true);
        parser.Feed("HTTP/1.1 201 Created\r\nContent-Length: 1\r\nLocation: /a\r\n\r\nx"u8);

        Assert.True(parser.IsComplete && parser.KeepsConnection);
        Assert.Equal((201, "x"), (parser.Status, Encoding.ASCII.GetString(parser.Body.Span)));
    }

    /// <summary>In one piece, byte by byte, and in two pieces at every place.</summary>
    private static IEnumerable<byte[][]> Cuts(byte[] bytes) =>
    [
        [bytes],
        [.. bytes.Select(one => new[] { one })],
        .. Enumerable.Range(1, bytes.Length - 1).Select(at => new[] { bytes[..at], bytes[at..] }),
    ];
}
