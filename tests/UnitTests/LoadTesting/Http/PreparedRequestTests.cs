using LoadTesting.Core.Http;

namespace UnitTests.LoadTesting.Http;

public sealed class PreparedRequestTests
{
    [Theory]
    [InlineData("X-Key", "a\r\nX-Other: b")]
    [InlineData("X-Key", "a\nb")]
    [InlineData("X-Key", "a\0")]
    [InlineData("X-Key", "ä")]
    [InlineData("X-Key\r\nX", "a")]
    [InlineData("X Key", "a")]
    [InlineData("X-Key:", "a")]
    [InlineData("content-LENGTH", "5")]
    [InlineData("Transfer-Encoding", "chunked")]
    [InlineData("Host", "elsewhere")]
    [InlineData("connection", "close")]
    public void Header_that_would_change_the_message_is_refused(string name, string value) =>
        Assert.ThrowsAny<ArgumentException>(() => PreparedRequest.Get("/").WithHeader(name, value));

    [Theory]
    [InlineData("GET", "a")]
    [InlineData("GET", "http://host/a")]
    [InlineData("GET", "/a b")]
    [InlineData("GET", "/a\r\nX: y")]
    [InlineData("GET", "/ä")]
    [InlineData("GET", "/a#b")]
    [InlineData("GET /x HTTP/1.1\r\n", "/a")]
    [InlineData("G T", "/a")]
    [InlineData("CONNECT", "/a")]
    public void Malformed_request_line_is_refused(string method, string target) =>
        Assert.ThrowsAny<ArgumentException>(() => PreparedRequest.Create(method, target));

    [Fact]
    public void Message_shows_what_was_refused_without_its_line_ends()
    {
        var error =
            Assert.Throws<ArgumentException>(() => PreparedRequest.Get("/").WithHeader("X-Key", "a\r\nX-Other: b"));

        Assert.Contains("'a\\u000d\\u000aX-Other: b'", error.Message, StringComparison.Ordinal);
        Assert.Contains("X-Key", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Content_type_is_checked_like_every_header() =>
        Assert.ThrowsAny<ArgumentException>(() => PreparedRequest.Post("/", default, "text/plain\r\nX: y"));

    [Fact]
    public void Body_needs_a_method_and_a_type_that_have_one()
    {
        Assert.Throws<InvalidOperationException>(() => PreparedRequest.Get("/").WithBody("x"u8.ToArray()));
        Assert.Throws<InvalidOperationException>(() =>
            PreparedRequest.Create("POST", "/").Write(new byte[200], "h"u8, "x"u8));
    }

    [Theory]
    [InlineData("GET", true)]
    [InlineData("HEAD", true)]
    [InlineData("PUT", true)]
    [InlineData("DELETE", true)]
    [InlineData("POST", false)]
    [InlineData("PATCH", false)]
    [InlineData("get", false)]
    public void Idempotent_is_what_RFC_9110_says(string method, bool isIdempotent) =>
        Assert.Equal(isIdempotent, PreparedRequest.Create(method, "/").IsIdempotent);

    [Theory]
    [InlineData("ftp://host")]
    [InlineData("http://host/path")]
    [InlineData("http://host/?query")]
    [InlineData("http://user:secret@host")]
    public void Sender_takes_the_address_of_a_server_and_nothing_more(string address) =>
        Assert.Throws<ArgumentException>(() => HttpSender.Lean(new Uri(address)));

    [Fact]
    public void Options_that_cannot_be_used_are_all_named()
    {
        var options = new HttpSenderOptions { Timeout = TimeSpan.Zero, MaxHeadBytes = 1, MaxBodyBytes = -1 };

        var error = Assert.Throws<ArgumentException>(() => HttpSender.Lean(new Uri("http://host"), options));

        Assert.All(
            ["Timeout 00:00:00", "MaxHeadBytes 1", "MaxBodyBytes -1"],
            words => Assert.Contains(words, error.Message, StringComparison.Ordinal));
    }
}
