using System.Net;
using LoadTesting.Contracts;
using LoadTesting.Http;
using Http = LoadTesting.Http.CSharp.Http;

namespace CompatibilityTests;

/// <summary>The size of an answer is that of the body as read, not that on the wire.</summary>
public sealed class HttpSizeTests
{
    public static TheoryData<string, HttpCompletionOption, bool> Answers => new()
    {
        { "length", HttpCompletionOption.ResponseContentRead, false },
        { "chunked", HttpCompletionOption.ResponseContentRead, false },
        { "gzip", HttpCompletionOption.ResponseContentRead, false },
        { "br", HttpCompletionOption.ResponseContentRead, false },
        { "length", HttpCompletionOption.ResponseHeadersRead, false },
        { "length", HttpCompletionOption.ResponseContentRead, true },
        { "chunked", HttpCompletionOption.ResponseHeadersRead, true },
        { "gzip", HttpCompletionOption.ResponseContentRead, true },
        { "gzip", HttpCompletionOption.ResponseHeadersRead, true },
        { "br", HttpCompletionOption.ResponseHeadersRead, true },
    };

    [Theory]
    [MemberData(nameof(Answers))]
    public async Task Size_is_that_of_the_body_that_was_read(
        string coding, HttpCompletionOption completion, bool isJson)
    {
        var response = await SendAsync("GET", coding, completion, isJson);

        Assert.InRange(response.SizeBytes, HttpTarget.BodyBytes, HttpTarget.BodyBytes + 500);
    }

    [Fact]
    public async Task Body_that_is_not_decompressed_counts_as_received()
    {
        var response = await SendAsync(
            "GET", "gzip", HttpCompletionOption.ResponseContentRead, isJson: false, DecompressionMethods.None);

        Assert.InRange(response.SizeBytes, 100, 1_000);
    }

    [Theory]
    [InlineData(HttpCompletionOption.ResponseContentRead)]
    [InlineData(HttpCompletionOption.ResponseHeadersRead)]
    public async Task Answer_to_head_has_no_body(HttpCompletionOption completion)
    {
        var response = await SendAsync("HEAD", "length", completion, isJson: false);

        Assert.InRange(response.SizeBytes, 50, 500);
    }

    [Fact]
    public async Task Body_can_be_read_after_it_was_counted()
    {
        await using var target = await HttpTarget.StartAsync();
        using var client = new HttpClient(new SocketsHttpHandler { AutomaticDecompression = DecompressionMethods.All });

        var response = await Http.Send(client, Http.CreateRequest("GET", $"{target.Address}/bodies/gzip"));

        Assert.Equal(HttpTarget.BodyBytes, (await response.Payload.Value.Content.ReadAsByteArrayAsync(Cancel)).Length);
    }

    private static async Task<IResponse> SendAsync(
        string method, string coding, HttpCompletionOption completion, bool isJson,
        DecompressionMethods decompression = DecompressionMethods.All)
    {
        await using var target = await HttpTarget.StartAsync();
        using var client = new HttpClient(new SocketsHttpHandler { AutomaticDecompression = decompression });
        var (arguments, request) =
            (HttpClientArgs.Create(completion), Http.CreateRequest(method, $"{target.Address}/bodies/{coding}"));
        return isJson
            ? await Http.Send<Dictionary<string, string>>(client, arguments, request)
            : await Http.Send(client, arguments, request);
    }
}
